import { StatementSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { creditOperations } from '../../src/credits/operations.ts'
import type { Database } from '../../src/database/dialect.ts'
import { operations } from '../../src/store/operations.ts'
import { openLedger, settleAll, settleOne } from '../credits/ledger.ts'
import { capture, charge, hold, noon, release } from '../credits/requests.ts'
import { engines } from '../harness/engines.ts'
import { asking, fetched, slugOf } from '../records/store-fixture.ts'

const [engine] = engines

async function openWithHold(credits = 100) {
  if (!engine) throw new Error('there is no embedded engine')
  const { database, accountId } = await openLedger(engine, credits)
  await settleOne(database, hold('r1', { accountId, amount: 1 }))
  return { database, accountId, payment: capture('r1', { accountId }) }
}

const isStored = async (database: Database, slug: string) =>
  (await operations.readRecord(database, asking(slugOf(slug)))).copy !== null
const verify = (database: Database) => creditOperations.verifyLedger(database)

test('a fetch is saved and paid for in one commit, and the receipt names what was saved', async () => {
  const { database, payment } = await openWithHold()
  const run = vi.spyOn(StatementSync.prototype, 'run')

  const { saved, paid } = await operations.saveFetchAndPay(database, {
    fetch: fetched({ slug: 'ada', number: 1 }),
    payment,
  })

  const commits = run.mock.contexts.filter((statement) => (statement as StatementSync).sourceSQL === 'commit')
  run.mockRestore()
  expect(commits).toHaveLength(1)
  expect(paid).toMatchObject({ outcome: 'settled', charged: 1, available: 99 })
  const call = await database.db.selectFrom('calls').selectAll().executeTakeFirstOrThrow()
  const { entity_id: entityId, version_id: versionId, fetch_id: fetchId } = call
  expect(saved).toMatchObject({ suppressed: false, entityId, versionId, fetchId })
  expect(await verify(database)).toMatchObject({ ok: true })
})

test('a payment that is refused leaves the record saved and its hold released', async () => {
  const { database, payment } = await openWithHold()
  await database.db.updateTable('keys').set({ revoked_at: noon }).execute()

  const { paid } = await operations.saveFetchAndPay(database, { fetch: fetched({ slug: 'ada', number: 1 }), payment })

  expect(paid).toMatchObject({ outcome: 'refused', code: 'revoked_api_key', available: 100 })
  expect(await isStored(database, 'ada')).toBe(true)
  expect(await verify(database)).toMatchObject({ ok: true })
})

test('where the payment cannot be entered, nothing of the fetch is saved, and the hold can be released', async () => {
  const { database, accountId, payment } = await openWithHold()
  // A column that may not be null.
  const broken = { ...payment, call: { ...payment.call, kind: undefined as unknown as 'people' } }

  const failing = operations.saveFetchAndPay(database, { fetch: fetched({ slug: 'ada', number: 1 }), payment: broken })

  await expect(failing).rejects.toThrow(/bound/)
  expect(await isStored(database, 'ada')).toBe(false)
  await settleOne(database, release('r1', { accountId }))
  expect(await verify(database)).toMatchObject({ ok: true })
})

test('a suppressed subject is neither saved nor paid for: the hold is left to its call', async () => {
  const { database, payment } = await openWithHold()
  const fetch = fetched({ slug: 'ada', number: 1 })
  const list = { hashes: fetch.suppressionHashes, kind: 'people', origin: 'operator', reason: null } as const
  await operations.addSuppressions(database, { ...list, hashes: [...list.hashes], actor: 'owner', at: noon })

  const ended = await operations.saveFetchAndPay(database, { fetch, payment })

  expect(ended).toEqual({ saved: { suppressed: true }, paid: null })
  expect(await database.db.selectFrom('holds').select('amount').execute()).toEqual([{ amount: 1 }])
})

test('a crowd of fetches that are saved and paid for does not hold up a charge that comes later', async () => {
  const { database, accountId } = await openWithHold(1_000)
  const ended: string[] = []
  const saves = Array.from({ length: 200 }, async (_, index) => {
    const fetch = fetched({ slug: `ada-${index}`, number: index + 1 })
    await operations.saveFetchAndPay(database, { fetch, payment: capture(`r-${index}`, { accountId }) })
    ended.push('save')
  })
  await saves[0]

  await settleAll(database, [charge('hit', { accountId })])
  ended.push('charge')
  await Promise.all(saves)

  expect(ended.indexOf('charge')).toBeLessThan(150)
  expect(await verify(database)).toMatchObject({ ok: true })
})
