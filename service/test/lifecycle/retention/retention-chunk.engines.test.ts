import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { retentionPlan, retentionRun } from '../../../src/lifecycle/retention/retention.ts'
import type { RetentionRules } from '../../../src/config/retention-config.ts'
import { storeOf } from '../../credits/ledger.ts'
import { engines } from '../../harness/engines.ts'
import { asking, day, noon, openTestStore, slugOf, type TestStore } from '../../records/store-fixture.ts'

const keepAll: RetentionRules = {
  rawDays: null,
  historyDays: null,
  recordDays: null,
  unusedRecordDays: null,
  callLogDays: null,
  perProvider: {},
}
const nothing = { payloads: 0, versions: 0, fetches: 0, entities: 0, calls: 0, misses: 0 }

describe.each(engines)('retention on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())
  const save: TestStore['save'] = (subject) => fixture.save(subject)
  const plan = (rules: Partial<RetentionRules>, now = noon) =>
    retentionPlan(fixture.store, { now, rules: { ...keepAll, ...rules }, limit: 3 })
  const run = (rules: Partial<RetentionRules>, now = noon) =>
    retentionRun(storeOf(fixture), { now, rules: { ...keepAll, ...rules }, limit: 3, actor: 'system' })
  const recall = async (slug: string) => (await fixture.store.records.readRecord(asking(slugOf(slug)))).copy

  test('without rules everything is kept', async () => {
    await save({ slug: 'ada', number: 1, at: 0 })
    expect(await plan({})).toEqual(nothing)
    expect(await run({})).toEqual(nothing)
    expect(await fixture.db.selectFrom('audit').selectAll().execute()).toEqual([])
  })

  test('raw payloads are removed by age, per provider, and one that a younger fetch shares stays', async () => {
    const payload = { the: 'same' }
    const old = await save({ slug: 'ada', number: 1, at: noon - 40 * day, payload })
    const young = await save({ slug: 'ada', number: 1, at: noon - 10 * day, payload })
    const gone = await save({ slug: 'bea', number: 2, at: noon - 40 * day })
    const kept = await save({ slug: 'cleo', number: 3, at: noon - 40 * day, provider: 'forever' })
    const rules = { rawDays: 30, perProvider: { forever: { rawDays: null } } }

    expect(await plan(rules)).toEqual({ ...nothing, payloads: 2 })
    expect(await run(rules)).toEqual({ ...nothing, payloads: 2 })
    const payloadOf = async (fetchId: number) => (await fixture.store.entities.rawPayload({ fetchId }))?.payload ?? null
    expect(await payloadOf(old.fetchId)).toBeNull()
    expect(await payloadOf(young.fetchId)).not.toBeNull()
    expect(await payloadOf(gone.fetchId)).toBeNull()
    expect(await payloadOf(kept.fetchId)).not.toBeNull()
    expect(await fixture.db.selectFrom('payloads').selectAll().execute()).toHaveLength(2)
    expect(await plan(rules)).toEqual(nothing)
  })

  test('past versions are removed, the served one never is', async () => {
    for (let age = 50; age >= 41; age--) await save({ slug: 'ada', number: 1, at: noon - age * day, payload: { age } })
    expect(await plan({ historyDays: 30 })).toEqual({ ...nothing, versions: 9 })
    expect((await run({ historyDays: 30 })).versions).toBe(9)
    expect((await recall('ada'))?.fetchedAt).toBe(noon - 41 * day)
    // Their fetches stay as long as the payloads do.
    expect(await fixture.db.selectFrom('fetches').selectAll().execute()).toHaveLength(10)
    expect(await run({ historyDays: 30, rawDays: 30 })).toEqual({ ...nothing, payloads: 10, fetches: 9 })
  })

  test('a storage limit removes everything of that provider, even served versions, and the next best is served', async () => {
    const other = await save({ slug: 'ada', number: 1, at: noon - 30 * day })
    await save({ slug: 'ada', number: 1, at: noon - 20 * day, provider: 'strict' })
    await save({ slug: 'bea', number: 2, at: noon - 20 * day, provider: 'strict' })
    const young = await save({ slug: 'cleo', number: 3, at: noon - 2 * day, provider: 'strict' })
    const rules = { perProvider: { strict: { storeDays: 10 } } }

    await run(rules)
    expect((await recall('ada'))?.versionId).toBe(other.versionId)
    expect(await recall('bea')).toBeNull()
    expect((await recall('cleo'))?.versionId).toBe(young.versionId)
    expect(
      await fixture.db
        .selectFrom('fetches')
        .select('provider')
        .where('at', '<', noon - 10 * day)
        .execute(),
    ).toEqual([{ provider: 'mirror' }])
    expect(await fixture.store.entities.history({ kind: 'people', ref: { key: 'urn:li:member:2' } })).toBeNull()
    // Removed by age, not on request, so it may be fetched again.
    await save({ slug: 'bea', number: 2 })
  })

  test('unused records are removed completely, and those in use stay', async () => {
    const unused = await save({ slug: 'ada', number: 1, at: noon - 100 * day })
    const used = await save({ slug: 'bea', number: 2, at: noon - 100 * day })
    await save({ slug: 'cleo', number: 3, at: noon - 10 * day })
    await fixture.store.records.markUsed({ used: [{ id: used.entityId, at: noon - 5 * day }] })
    expect(await plan({ unusedRecordDays: 90 })).toEqual({ ...nothing, entities: 1 })
    await run({ unusedRecordDays: 90 })
    expect(await recall('ada')).toBeNull()
    expect(await fixture.store.records.readVersion({ versionId: unused.versionId })).toBeNull()
    expect(await recall('bea')).not.toBeNull()
    expect(
      await fixture.db.selectFrom('aliases').selectAll().where('entity_id', '=', unused.entityId).execute(),
    ).toEqual([])
  })

  test('a record is removed at a hard age from its first collection, however often it was used or fetched since', async () => {
    await save({ slug: 'ada', number: 1, at: noon - 100 * day })
    const again = await save({ slug: 'ada', number: 1, at: noon - day })
    await fixture.store.records.markUsed({ used: [{ id: again.entityId, at: noon }] })
    await save({ slug: 'bea', number: 2, at: noon - 80 * day })
    expect(await plan({ recordDays: 90 })).toEqual({ ...nothing, entities: 1 })

    await run({ recordDays: 90 })

    expect(await recall('ada')).toBeNull()
    expect(await recall('bea')).not.toBeNull()
  })

  test('a merged record counts from the earlier first collection', async () => {
    await save({ slug: 'ada', at: noon - 100 * day })
    await save({ slug: 'ada-1', number: 1, at: noon - 10 * day })
    await save({ slug: 'ada', number: 1, at: noon - day })

    await run({ recordDays: 90 })

    expect(await recall('ada-1')).toBeNull()
  })

  test('the call log is removed by age with the details of its calls, and the ledger is never touched', async () => {
    const call = {
      mode: 'live' as const,
      key_id: 'k',
      account_id: 1,
      kind: 'people' as const,
      status: 200,
      code: null,
      source: 'live',
      credits: 1,
      identifier: null,
      entity_id: null,
      version_id: null,
      fetch_id: null,
      replay_of: null,
      duration_ms: null,
    }
    await fixture.db
      .insertInto('calls')
      .values(Array.from({ length: 10 }, (_, age) => ({ ...call, request_id: `r${age}`, at: noon - age * day })))
      .execute()
    const details = { kind: 'people' as const, identifier: 'slug:ada', explanation: '{}' }
    await fixture.db
      .insertInto('call_details')
      .values(Array.from({ length: 10 }, (_, age) => ({ ...details, request_id: `r${age}`, at: noon - age * day })))
      .execute()
    const entry = {
      account_id: 1,
      kind: 'grant' as const,
      amount: 5,
      held_amount: null,
      key_id: null,
      spend_id: null,
      month: null,
      request_id: null,
      hold_id: null,
      reason: null,
      actor: null,
      at: 0,
    }
    await fixture.db.insertInto('ledger_entries').values(entry).execute()

    expect(await plan({ callLogDays: 4 })).toEqual({ ...nothing, calls: 5 })
    expect((await run({ callLogDays: 4 })).calls).toBe(5)
    expect(await fixture.db.selectFrom('calls').selectAll().execute()).toHaveLength(5)
    expect(await fixture.db.selectFrom('call_details').selectAll().execute()).toHaveLength(5)
    expect(await fixture.db.selectFrom('ledger_entries').selectAll().execute()).toHaveLength(1)
  })

  test('names that no provider knew are removed after a month', async () => {
    const miss = (slug: string, at: number) =>
      fixture.store.records.saveMiss({
        ...asking(slugOf(slug)),
        provider: 'mirror',
        at,
        status: 404,
        cost: null,
        durationMs: 1,
        payload: null,
      })
    await miss('old', noon - 31 * day)
    await miss('young', noon - day)
    expect((await run({})).misses).toBe(1)
    expect(await fixture.db.selectFrom('aliases').select('value').execute()).toEqual([{ value: 'young' }])
  })

  test('every chunk that removed something is audited', async () => {
    await save({ slug: 'ada', number: 1, at: 0 })
    await run({ rawDays: 30 })
    const rows = await fixture.db.selectFrom('audit').selectAll().execute()
    expect(rows).toMatchObject([{ action: 'retention.run', actor: 'system', at: noon }])
    expect(JSON.parse(rows[0]!.after!)).toMatchObject({ removed: { payloads: 1 }, rules: { rawDays: 30 } })
  })
})
