import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  noPurgeCounts,
  purgeSteps,
  type PurgeCounts,
  type PurgeStep,
} from '../../../src/lifecycle/store/retention/purge-provider.ts'
import { runSteps } from '../../../src/lifecycle/store/retention/run-steps.ts'
import { rowChecksum } from '../../../src/database/packing/row-checksum.ts'
import { noteFold } from '../../../src/records/versions/fold-rows.ts'
import { engines } from '../../harness/engines.ts'
import { asking, fetched, noon, openTestStore, recordIn, slugOf, type TestStore } from '../../records/store-fixture.ts'

const day = 86_400_000

describe.each(engines)('a purge on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())

  function purge(provider: string, dryRun: boolean) {
    const args = { provider, limit: 2, dryRun, reason: null, actor: 'owner', at: noon }
    return runSteps<PurgeStep, PurgeCounts>({
      first: purgeSteps[0],
      none: noPurgeCounts(),
      runChunk: (cursor) => fixture.store.upkeep.purgeProviderChunk({ ...args, cursor }),
    })
  }

  test("removes one provider's data as its plan said, and serves other providers' data", async () => {
    const ended = { provider: 'coresignal', more: [{ type: 'coresignal', value: '77' }] }
    const first = await fixture.save({ slug: 'ada', number: 1, ...ended })
    await fixture.db.insertInto('idempotency').values(idempotencyRecordOf(first.versionId)).execute()
    await fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 1, provider: 'coresignal', at: noon + day }))
    await fixture.store.records.saveFetch(
      fetched({ slug: 'bea', number: 2, record: { headline: 'stays' }, at: noon - day }),
    )
    await fixture.store.records.saveFetch(
      fetched({ slug: 'bea', number: 2, provider: 'coresignal', record: { headline: 'goes' } }),
    )
    await fixture.store.records.saveFetch(fetched({ slug: 'cleo', number: 3 }))

    const plan = await purge('coresignal', true)
    const removed = await purge('coresignal', false)

    expect(plan).toMatchObject({ entities: 1, versions: 3, fetches: 3, names: 1, replays: 1 })
    expect(removed).toMatchObject({ entities: 1, versions: 3, fetches: 3 })
    expect((await fixture.store.records.readRecord(asking(slugOf('ada')))).copy).toBeNull()
    expect(recordIn((await fixture.store.records.readRecord(asking(slugOf('bea')))).copy).headline).toBe('stays')
    expect((await fixture.store.records.readRecord(asking(slugOf('cleo')))).copy).not.toBeNull()
    expect(await purge('coresignal', true)).toMatchObject({ versions: 0, fetches: 0, payloads: 0, names: 0 })
    // The answer is gone, but its payment is remembered, so that no retry pays again.
    const remembered = fixture.db.selectFrom('idempotency').select(['hash', 'fingerprint', 'version_id'])
    expect(await remembered.execute()).toEqual([{ hash: 'h', fingerprint: 'f', version_id: null }])
    // Removed because of a contract, not on request, so another provider may supply it again.
    expect(await fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 1 }))).toMatchObject({
      suppressed: false,
    })
  })

  test('leaves nothing of the provider in any table, and notifies those who received a record that is gone', async () => {
    const { db, store } = fixture
    const names = ['77', '78', '79'].map((value) => ({ type: 'coresignal', value }))
    const gone = await fixture.save({ slug: 'ada', number: 1, provider: 'coresignal' })
    await fixture.save({ slug: 'bea', number: 2, at: noon - day })
    const changed = { provider: 'coresignal', more: names, record: { headline: 'goes' } }
    const served = await fixture.save({ slug: 'bea', number: 2, ...changed })
    const own = { kind: 'people', account_id: 1 } as const
    const { entityId: entity_id, key } = gone
    await db
      .insertInto('recipients')
      .values({ ...own, entity_id, key })
      .execute()
    await db.insertInto('paid_versions').values({ version_id: gone.versionId, account_id: 1 }).execute()
    await db
      .insertInto('former_aliases')
      .values({ kind: 'people', type: 'coresignal', value: '70', entity_id: served.entityId, until: noon })
      .execute()
    const fills = [{ unit: 'summary', versionId: served.versionId, provider: 'coresignal', fetchedAt: noon }]
    const onPostgres = fixture.dialect.name === 'postgres'
    await noteFold(fixture, { versionId: gone.versionId, fills })
    const record = { ...idempotencyRecordOf(gone.versionId), hash: 'of ada', request_id: 'r2' }
    await db
      .insertInto('idempotency')
      .values({ ...record, ...(onPostgres ? {} : { checksum: rowChecksum('idempotency', record) }) })
      .execute()
    const contact = { kind: 'people', type: 'email', value: 'hash of an address', at: noon } as const
    await db
      .insertInto('contact_index')
      .values({ ...contact, entity_id: served.entityId, origin: 'contact', likelihood: 9, matched_on: 'email' })
      .execute()

    await purge('coresignal', false)

    const left = async (table: string, column: string, of: string) =>
      (await sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} not in ${sql.raw(of)}`.execute(db)).rows
        .length
    const versions = '(select id from versions)'
    const fetches = '(select id from fetches)'
    expect({
      paid: await left('paid_versions', 'version_id', versions),
      folds: await left('folds', 'version_id', versions),
      mentions: await left('mentions', 'fetch_id', fetches),
      payloads: await left('payloads', 'hash', '(select payload_hash from fetches where payload_hash is not null)'),
      aliases: await db.selectFrom('aliases').select('value').where('type', '=', 'coresignal').execute(),
      former: await db.selectFrom('former_aliases').select('value').execute(),
      contacts: await db.selectFrom('contact_index').select('value').execute(),
      checksums: await db.selectFrom('idempotency').select('checksum').where('checksum', 'is not', null).execute(),
    }).toEqual({ paid: 0, folds: 0, mentions: 0, payloads: 0, aliases: [], former: [], contacts: [], checksums: [] })
    const events = await db.selectFrom('events').select(['type', 'account_id', 'data']).execute()
    const data = JSON.stringify({ kind: 'people', id: key })
    expect(events).toEqual([{ type: 'record.purged', account_id: 1, data }])
    const tables = (await store.residue.bytesLeft(null))?.tables ?? null
    expect(tables).toEqual(onPostgres ? expect.arrayContaining(['aliases', 'versions']) : null)
  })
})

/** The idempotency record of a call that returned a version. */
function idempotencyRecordOf(versionId: number | null) {
  return {
    account_id: 1,
    hash: 'h',
    fingerprint: 'f',
    state: 'done' as const,
    request_id: 'r1',
    version_id: versionId,
    source: 'store',
    created_at: noon,
    expires_at: noon,
  }
}
