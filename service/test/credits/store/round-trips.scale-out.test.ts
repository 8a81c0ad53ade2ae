import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { creditOperations, grantOperations } from '../../../src/credits/operations.ts'
import type { SettleRequest } from '../../../src/credits/decision/settlement-requests.ts'
import { engines } from '../../harness/engines.ts'
import { acme, openLedger, settleAll } from '../ledger.ts'
import { capture, charge, check, hold, minute, noon, release, value } from '../requests.ts'

describe.each(engines)('round trips of a settlement to $name', (engine) => {
  afterEach(() => void vi.restoreAllMocks())

  async function openCounted() {
    const { database, environmentId } = await openLedger(engine, 1_000)
    const roundTripsOf = async (requests: SettleRequest[], retry = false) => {
      const groups = vi.spyOn(pg.Connection.prototype, 'sync')
      const simple = vi.spyOn(pg.Connection.prototype, 'query')
      await settleAll(database, requests, retry)
      const count = groups.mock.calls.length + simple.mock.calls.length
      vi.restoreAllMocks()
      return count
    }
    return { database, environmentId, roundTripsOf }
  }

  test('are two for charges, however many there are, and for their retry', async () => {
    const { environmentId, roundTripsOf } = await openCounted()
    const charges = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        charge(`${count} ${index}`, {
          environmentId,
          idempotency: value(`${count} ${index}`),
          repeatFreeSince: noon - minute,
        }),
      )

    expect(await roundTripsOf(charges(1))).toBe(2)
    expect(await roundTripsOf(charges(300))).toBe(2)
    expect(await roundTripsOf(charges(300), true)).toBe(2)
  })

  test('are two for charges that meet every limit, have a tag and write alerts', async () => {
    const { database, environmentId, roundTripsOf } = await openCounted()
    const midnight = noon - 12 * 60 * minute
    await database.db.updateTable('keys').set({ ceiling: 4, daily_ceiling: 2, days_from: midnight }).execute()
    await grantOperations.setBudget(database, { ...acme, monthly: 3, actor: 'owner', at: noon })
    const tagged = charge('tagged', { environmentId, price: 2, call: { ...charge('').call, tag: 'team' } })

    expect(await roundTripsOf([tagged, charge('refused', { environmentId })])).toBe(2)

    expect(await database.db.selectFrom('events').select('type').execute()).not.toEqual([])
    expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true })
  })

  test('are two for holds and checks; three if a hold ends, which may be of another day', async () => {
    const { database, environmentId, roundTripsOf } = await openCounted()
    const later = { environmentId, at: noon + 24 * 60 * minute }

    expect(
      await roundTripsOf([hold('r1', { environmentId, idempotency: value('a') }), hold('r2', { environmentId })]),
    ).toBe(2)
    expect(await roundTripsOf([check('r3', { environmentId })])).toBe(2)
    expect(await roundTripsOf([capture('r1', { ...later, idempotency: value('a') }), release('r2', later)])).toBe(3)
    expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true })
  })
})
