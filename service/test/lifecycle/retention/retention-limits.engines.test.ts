import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RetentionRules } from '../../../src/config/retention-config.ts'
import { retentionRun } from '../../../src/lifecycle/retention/retention.ts'
import { noteFold } from '../../../src/records/versions/fold-rows.ts'
import { storeOf } from '../../credits/ledger.ts'
import { engines } from '../../harness/engines.ts'
import { day, noon, openTestStore, type TestStore } from '../../records/store-fixture.ts'

const keepAll = { rawDays: null, historyDays: null, recordDays: null, unusedRecordDays: null, callLogDays: null }

describe.each(engines)('limits of retention on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())
  const run = (rules: Partial<RetentionRules>) =>
    retentionRun(storeOf(fixture), { now: noon, rules: { ...keepAll, perProvider: {}, ...rules }, actor: 'system' })

  test("a provider's own limit replaces the general one, even if it is none", async () => {
    for (const provider of ['forever', 'usual'])
      for (const age of [50, 40])
        await fixture.save({ slug: provider, number: provider.length, provider, at: noon - age * day })

    const { versions } = await run({ historyDays: 30, perProvider: { forever: { historyDays: null } } })

    const left = await fixture.db.selectFrom('versions').select('provider').orderBy('id').execute()
    expect([versions, left.map(({ provider }) => provider)]).toEqual([1, ['forever', 'forever', 'usual']])
  })

  test.each([
    { rawDays: 30, storeDays: 10 },
    { rawDays: 10, storeDays: 30 },
  ])('of the limits $rawDays and $storeDays for payloads of a provider the stricter one holds', async (limits) => {
    await fixture.save({ slug: 'ada', number: 1, at: noon - 20 * day, provider: 'strict' })
    await fixture.save({ slug: 'bea', number: 2, at: noon - 5 * day, provider: 'strict' })

    expect(await run({ perProvider: { strict: limits } })).toMatchObject({ payloads: 1 })
  })

  test('a record that is fetched now and then is not unused', async () => {
    await fixture.save({ slug: 'ada', number: 1, at: noon - 100 * day })
    await fixture.save({ slug: 'ada', number: 1, at: noon - 5 * day })

    expect(await run({ unusedRecordDays: 90 })).toMatchObject({ entities: 0 })
  })

  test.each<[string, Partial<RetentionRules>]>([
    ['unused', { unusedRecordDays: 90 }],
    ['too old', { recordDays: 90 }],
    ['beyond the storage limit of its provider', { perProvider: { mirror: { storeDays: 90 } } }],
  ])('those who received a record are notified when it is removed, because it is %s', async (_why, rules) => {
    const { entityId, key } = await fixture.save({ slug: 'ada', number: 1, at: noon - 100 * day })
    await fixture.db
      .insertInto('recipients')
      .values({ entity_id: entityId, account_id: 7, kind: 'people', key })
      .execute()

    expect(await run(rules)).toMatchObject({ entities: 1 })

    const events = await fixture.db.selectFrom('events').select(['type', 'account_id', 'data']).execute()
    expect(events).toEqual([
      { type: 'record.purged', account_id: 7, data: JSON.stringify({ kind: 'people', id: key }) },
    ])
  })

  test('no served record is filled from a version that was removed, and no note of a payment names it', async () => {
    const { db } = fixture
    const old = await fixture.save({ slug: 'ada', number: 1, at: noon - 100 * day })
    const served = await fixture.save({ slug: 'ada', number: 1, at: noon - 5 * day })
    const fills = [{ unit: 'summary', versionId: old.versionId, provider: 'mirror', fetchedAt: noon - 100 * day }]
    await noteFold(fixture, { versionId: served.versionId, fills })
    const { id } = await db.selectFrom('folds').select('id').executeTakeFirstOrThrow()
    await db.updateTable('entities').set({ fold_id: id }).execute()
    await db.insertInto('paid_versions').values({ version_id: old.versionId, account_id: 7 }).execute()

    expect(await run({ historyDays: 90 })).toMatchObject({ versions: 1 })

    expect(await db.selectFrom('paid_versions').selectAll().execute()).toEqual([])
    expect(await db.selectFrom('entities').select('fold_id').execute()).toEqual([{ fold_id: null }])
  })

  test('a name whose suppression was hidden as a miss is forgotten after a month', async () => {
    const misses = [31, 29].map((age) => ({ hash: `${age} days`, at: noon - age * day }))
    await fixture.db.insertInto('hidden_misses').values(misses).execute()

    await run({})

    expect(await fixture.db.selectFrom('hidden_misses').select('hash').execute()).toEqual([{ hash: '29 days' }])
  })
})
