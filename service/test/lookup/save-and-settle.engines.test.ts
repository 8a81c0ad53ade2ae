import { describe, expect, test } from 'vitest'
import type { CaptureRequest } from '../../src/credits/decision/settlement-requests.ts'
import { creditOperations } from '../../src/credits/operations.ts'
import { lookupOperations } from '../../src/lookup/payment/save-and-settle.ts'
import { recordOperations } from '../../src/records/operations.ts'
import { acme, openLedger, settleOne } from '../credits/ledger.ts'
import { capture, hold, noon, release } from '../credits/requests.ts'
import { engines, type Engine, type OpenDatabase } from '../harness/engines.ts'
import { asking, fetched, slugOf } from '../records/store-fixture.ts'

const ada = { slug: 'ada', number: 1 }

/** The payment in the form that callers send: the store adds the ids of the record. */
const unsaved = { ...capture('r1').call, entityId: 0, versionId: 0, fetchId: 0 }
const payment = (environmentId: number): CaptureRequest => capture('r1', { environmentId, call: unsaved })

/** A ledger of 10 credits. The call `r1` holds one of them. */
async function openHeld(engine: Engine) {
  const { database, environmentId } = await openLedger(engine, 10)
  await settleOne(database, hold('r1', { environmentId }))
  const save = (subject: Parameters<typeof fetched>[0] = ada) =>
    lookupOperations.saveAndSettle(database, { save: fetched(subject), payment: payment(environmentId) })
  return { database, environmentId, save }
}

async function stateOf(database: OpenDatabase) {
  const { copy } = await recordOperations.readRecord(database, asking(slugOf('ada')))
  const { balance, held } = await creditOperations.creditBalance(database, { ...acme, at: noon })
  const { ok } = await creditOperations.verifyLedger(database)
  return { isStored: copy !== null, balance, held, ok }
}

describe.each(engines)('a save with the payment of its call on $name', (engine) => {
  test('stores the record, and pays for it with its ids', async () => {
    const { database, save } = await openHeld(engine)

    const { decision, ...saved } = await save()

    expect(decision).toMatchObject({ outcome: 'settled', charged: 1, available: 9 })
    expect(await stateOf(database)).toEqual({ isStored: true, balance: 9, held: 0, ok: true })
    const call = await database.db.selectFrom('calls').selectAll().executeTakeFirstOrThrow()
    if (saved.suppressed) throw new Error('the record is suppressed')
    const { entityId: entity_id, versionId: version_id, fetchId: fetch_id } = saved
    expect(call).toMatchObject({ request_id: 'r1', status: 200, credits: 1, entity_id, version_id, fetch_id })
  })

  test('stores the record also if the key was revoked meanwhile, and releases the hold', async () => {
    const { database, save } = await openHeld(engine)
    await database.db.updateTable('keys').set({ revoked: 1, revoked_at: noon }).execute()

    const { decision } = await save()

    expect(decision).toMatchObject({ outcome: 'refused', code: 'revoked_api_key' })
    expect(await stateOf(database)).toEqual({ isStored: true, balance: 10, held: 0, ok: true })
  })

  test('pays for nothing if the record that answers is not the one that was sent', async () => {
    const { database, save } = await openHeld(engine)
    await recordOperations.saveFetch(database, fetched(ada))

    const { decision, ...saved } = await save({ slug: 'ada' })

    expect(saved).toMatchObject({ fitted: { parts: expect.any(String) } })
    expect(decision).toBeNull()
    expect(await stateOf(database)).toEqual({ isStored: true, balance: 10, held: 1, ok: true })
  })

  test('is found by a repeated release, which otherwise releases the hold', async () => {
    const { database, environmentId, save } = await openHeld(engine)
    await settleOne(database, hold('r2', { environmentId }))
    const { decision: _, ...saved } = await save()

    const [paid, unpaid] = [
      await settleOne(database, release('r1', { environmentId }), true),
      await settleOne(database, release('r2', { environmentId }), true),
    ]

    if (saved.suppressed) throw new Error('the record is suppressed')
    const { entityId, versionId, fetchId } = saved
    expect(paid).toMatchObject({ outcome: 'settled', charged: 1, answered: { entityId, versionId, fetchId } })
    expect(unpaid).toMatchObject({ outcome: 'settled', charged: 0 })
    expect(unpaid).not.toHaveProperty('answered')
    expect(await stateOf(database)).toEqual({ isStored: true, balance: 9, held: 0, ok: true })
  })
})

describe.each(engines.filter(({ name }) => name === 'postgres'))(
  'an environment locked by others on $name',
  (engine) => {
    test('does not delay the save: the payment follows on its own', async () => {
      const { database, environmentId, save } = await openHeld(engine)

      const { decision } = await database.db.transaction().execute(async (tx) => {
        await tx.selectFrom('environments').select('id').where('id', '=', environmentId).forUpdate().execute()
        return save()
      })

      expect(decision).toBeNull()
      expect(await stateOf(database)).toEqual({ isStored: true, balance: 10, held: 1, ok: true })
    })
  },
)
