import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eraseSubject, previewErasure } from '../../../src/lifecycle/erasure/erase-subject.ts'
import { engines } from '../../harness/engines.ts'
import {
  asking,
  day,
  fetched,
  isSaved,
  noon,
  openTestStore,
  recordIn,
  secret,
  slugOf,
  type TestStore,
  imported,
  writeReceipt,
} from '../../records/store-fixture.ts'

const miss = (slug: string) => ({
  ...asking(slugOf(slug)),
  provider: 'mirror',
  status: 404,
  cost: null,
  durationMs: 1,
  payload: Buffer.from('{}'),
})
const by = { secret, reason: 'asked for it', actor: 'owner', at: noon + 10 * day }

describe.each(engines)('erasure on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())
  const save: TestStore['save'] = (subject) => fixture.save(subject)
  const erase = (slug: string, more = {}) =>
    eraseSubject(fixture.store, fixture.store.suppressionChanges, {
      kind: 'people',
      ref: { identifier: slugOf(slug) },
      ...by,
      ...more,
    })

  test('nothing of an erased person is served, listed, replayed or written again, under any name', async () => {
    const saved = await save({ slug: 'ada', number: 1, more: [{ type: 'opaque', value: 'ACoAAada' }] })
    await fixture.store.records.saveMiss({ ...miss('ada'), at: noon + 1, payload: null })
    const report = await erase('ada')

    expect(report).toMatchObject({ entities: 1, versions: 1, fetches: 2, payloads: 1 })
    expect(await fixture.store.records.readRecord(asking(slugOf('ada')))).toEqual({
      suppressed: true,
      notFoundAt: null,
      copy: null,
    })
    expect(await fixture.store.records.readVersion({ versionId: saved.versionId })).toBeNull()
    expect(await fixture.store.entities.history({ kind: 'people', ref: { key: saved.key } })).toBeNull()
    // The same person under a new slug is recognised by the durable key.
    expect(await fixture.store.records.saveFetch(fetched({ slug: 'renamed', number: 1, at: noon + 20 * day }))).toEqual(
      {
        suppressed: true,
      },
    )
    const [result] = await fixture.store.entities.importRecords({
      items: [imported({ slug: 'renamed', number: 1 })],
      at: noon,
    })
    expect(result).toBe('suppressed')
    for (const table of ['entities', 'aliases', 'versions', 'fetches', 'payloads', 'former_aliases'] as const) {
      expect(await fixture.db.selectFrom(table).selectAll().execute()).toEqual([])
    }
  })

  test('a miss or a fault that ends after the erasure writes nothing', async () => {
    await erase('ada')
    const late = { ...miss('ada'), at: noon }
    expect(await fixture.store.records.saveMiss(late)).toEqual({ fetchId: null, deniedId: null })
    expect(await fixture.store.records.saveFault({ ...late, outcome: 'invalid' })).toEqual({
      fetchId: null,
      deniedId: null,
    })
    expect(await fixture.db.selectFrom('aliases').selectAll().execute()).toEqual([])
  })

  test('an erasure during fetches of the same person leaves nothing of them', async () => {
    await save({ slug: 'ada', number: 1 })
    const fetches = Array.from({ length: 10 }, (_, index) =>
      fixture.store.records.saveFetch(
        fetched({ slug: `ada-${index}`, number: 1, at: noon + index, more: [{ type: 'slug', value: 'ada' }] }),
      ),
    )
    await Promise.all([...fetches, erase('ada')])

    expect(await fixture.db.selectFrom('versions').selectAll().execute()).toEqual([])
    expect(await fixture.db.selectFrom('payloads').selectAll().execute()).toEqual([])
    expect(await fixture.db.selectFrom('aliases').selectAll().execute()).toEqual([])
  })

  test('an erasure during the first fetch of a person leaves nothing of them', async () => {
    await Promise.all([erase('ada'), fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 1 }))])
    expect(await fixture.db.selectFrom('versions').selectAll().execute()).toEqual([])
    expect(await fixture.db.selectFrom('aliases').selectAll().execute()).toEqual([])
  })

  test('replays and receipts lose the person, and the receipts stay', async () => {
    const saved = await save({ slug: 'ada', number: 1 })
    await writeReceipt(fixture, {
      requestId: 'r1',
      entityId: saved.entityId,
      versionId: saved.versionId,
      identifier: null,
    })
    await writeReceipt(fixture, { requestId: 'r2', entityId: null, versionId: null, identifier: 'ada' })
    await writeReceipt(fixture, { requestId: 'r3', entityId: 12_345, versionId: 7, identifier: 'someone-else' })
    await fixture.db
      .insertInto('idempotency')
      .values({
        account_id: 1,
        hash: 'h',
        fingerprint: 'f',
        state: 'done',
        request_id: 'r1',
        version_id: saved.versionId,
        source: 'store',
        created_at: noon,
        expires_at: noon,
      })
      .execute()

    expect(await previewErasure(fixture.store, { kind: 'people', ref: { identifier: slugOf('ada') } })).toMatchObject({
      calls: 2,
      replays: 1,
    })
    expect(await erase('ada')).toMatchObject({ calls: 2, replays: 1 })
    const calls = await fixture.db
      .selectFrom('calls')
      .select(['request_id', 'identifier', 'entity_id', 'version_id'])
      .orderBy('request_id')
      .execute()
    expect(calls).toEqual([
      { request_id: 'r1', identifier: null, entity_id: null, version_id: null },
      { request_id: 'r2', identifier: null, entity_id: null, version_id: null },
      { request_id: 'r3', identifier: 'someone-else', entity_id: 12_345, version_id: 7 },
    ])
    // The payment itself is kept, because a duplicate may be about to pay.
    expect(await fixture.db.selectFrom('idempotency').selectAll().execute()).toMatchObject([
      { hash: 'h', fingerprint: '', request_id: 'r1', version_id: null },
    ])
  })

  test('calls of an entity that was merged into another are found too', async () => {
    const one = await save({ slug: 'ada', provider: 'a', derivedKey: 'one' })
    const other = await save({
      provider: 'b',
      derivedKey: 'two',
      asked: { type: 'opaque', value: 'ACoAAx' },
      more: [{ type: 'vendor', value: '9' }],
    })
    await writeReceipt(fixture, { requestId: 'r1', entityId: one.entityId, versionId: one.versionId, identifier: null })
    await writeReceipt(fixture, {
      requestId: 'r2',
      entityId: other.entityId,
      versionId: other.versionId,
      identifier: null,
    })
    await save({ slug: 'ada', number: 1, more: [{ type: 'vendor', value: '9' }], at: noon + 1 })
    expect(await erase('ada')).toMatchObject({ entities: 1, versions: 3, calls: 2 })
  })

  test('the plan shows every entity that ever held the name, and only the chosen ones are erased', async () => {
    const before = await save({ slug: 'ada', number: 1, more: [{ type: 'slug', value: 'ada-1' }] })
    const now = await save({ slug: 'ada', number: 2, at: noon + day })
    const plan = await fixture.store.erasure.planErasure({ kind: 'people', ref: { identifier: slugOf('ada') } })
    expect(plan.entities.map((entity) => entity.entityId)).toEqual([before.entityId, now.entityId])
    expect(plan.entities[0]).toMatchObject({
      versions: 1,
      fetches: 1,
      payloads: 1,
      formerAliases: [{ type: 'slug', value: 'ada' }],
    })

    await erase('ada', { entityIds: [before.entityId] })
    // The slug now belongs to another person, who did not request an erasure.
    expect((await fixture.store.records.readRecord(asking(slugOf('ada')))).copy?.entityId).toBe(now.entityId)
    expect((await fixture.store.records.readRecord(asking(slugOf('ada-1')))).suppressed).toBe(true)
    expect(await fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 1, at: noon + 2 * day }))).toEqual({
      suppressed: true,
    })
    isSaved(await fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 2, at: noon + 2 * day })))
  })

  test("a person answered for a name by a slower clock than its holder's is erased with it", async () => {
    await save({ slug: 'ada', number: 1, at: noon + 500 })
    await save({ slug: 'ada', number: 2, at: noon })
    await fixture.store.records.saveMiss({ ...miss('grace'), at: noon + 500 })
    await save({ slug: 'grace', number: 3, at: noon })
    await erase('ada')
    await erase('grace')
    for (const number of [1, 2, 3])
      expect(
        await fixture.store.records.saveFetch(fetched({ slug: `later-${number}`, number, at: noon + day })),
      ).toEqual({
        suppressed: true,
      })
  })

  test('a person without stored data can be suppressed', async () => {
    const report = await eraseSubject(fixture.store, fixture.store.suppressionChanges, {
      kind: 'people',
      ref: { key: 'urn:li:member:1' },
      ...by,
    })
    expect(report.entities).toBe(0)
    expect(await fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 1 }))).toEqual({ suppressed: true })
  })

  test('a copy is no longer served once a provider says that its name belongs to an erased person', async () => {
    await save({ slug: 'ada-new', number: 1 })
    await erase('ada')
    const { copy } = await fixture.store.records.readRecord(asking(slugOf('ada-new')))
    const asked = { type: 'slug', value: 'ada-new' }
    const later = await fixture.store.records.saveFetch(fetched({ slug: 'ada', number: 2, asked, at: noon + 20 * day }))

    expect(copy).not.toBeNull()
    expect(later).toEqual({ suppressed: true })
    expect((await fixture.store.records.readRecord(asking(slugOf('ada-new')))).copy).toBeNull()
  })

  test("an erased person is removed from other people's payloads and records, which keep the rest", async () => {
    const similar = [
      { public_identifier: 'ada', name: 'Ada Example' },
      { public_identifier: 'adam', name: 'Adam' },
    ]
    const other = await save({
      slug: 'bea',
      number: 2,
      payload: {
        first_name: 'Bea',
        vendor: 12345678901234567890n.toString(),
        summary: 'x'.repeat(300),
        similar,
        friend: { link: 'https://www.linkedin.com/in/ADA/?x=1', name: 'Ada' },
      },
      record: {
        websites: ['https://linkedin.com/in/ada', 'https://example.org'],
        summary: 'Built things with linkedin.com/in/ada and others',
      },
    })
    await save({ slug: 'ada', number: 1 })
    expect(await previewErasure(fixture.store, { kind: 'people', ref: { identifier: slugOf('ada') } })).toMatchObject({
      mentions: 2,
    })
    expect(await erase('ada')).toMatchObject({ mentions: 2 })

    const raw = await fixture.store.entities.rawPayload({ fetchId: other.fetchId })
    expect(raw?.redacted).toBe(true)
    expect(JSON.parse(Buffer.from(raw!.payload!).toString())).toEqual({
      first_name: 'Bea',
      vendor: '12345678901234567890',
      summary: 'x'.repeat(300),
      similar: [{ public_identifier: 'adam', name: 'Adam' }],
      friend: null,
    })
    const record = recordIn(await fixture.store.records.readVersion({ versionId: other.versionId }))
    expect(record).toMatchObject({
      member_urn: 'urn:li:member:2',
      public_identifier: 'bea',
      websites: ['https://example.org'],
      summary: null,
    })
    expect(await previewErasure(fixture.store, { kind: 'people', ref: { identifier: slugOf('ada') } })).toMatchObject({
      mentions: 0,
    })
  })

  test("a person's employer is that person's data and survives the erasure of the company", async () => {
    const payload = { experience: [{ company_url: 'https://www.linkedin.com/company/example', title: 'Engineer' }] }
    const person = await save({ slug: 'bea', number: 2, payload })
    const sister = await save({
      kind: 'companies',
      slug: 'sister',
      number: 8,
      payload: { name: 'Sister', pad: 'x'.repeat(200), affiliated: [{ slug: 'example' }] },
    })
    await save({ kind: 'companies', slug: 'example', number: 77 })
    await eraseSubject(fixture.store, fixture.store.suppressionChanges, {
      kind: 'companies',
      ref: { identifier: slugOf('example', 'companies') },
      ...by,
    })

    const kept = await fixture.store.entities.rawPayload({ fetchId: person.fetchId })
    expect(JSON.parse(Buffer.from(kept!.payload!).toString())).toEqual(payload)
    const affiliated = await fixture.store.entities.rawPayload({ fetchId: sister.fetchId })
    expect(JSON.parse(Buffer.from(affiliated!.payload!).toString())).toMatchObject({ name: 'Sister', affiliated: [] })
  })

  test('the audit log records the erasure and names nobody', async () => {
    await save({ slug: 'ada', number: 1 })
    await erase('ada')
    const rows = await fixture.db.selectFrom('audit').selectAll().execute()
    expect(rows.map((row) => row.action)).toEqual(['suppressions.add', 'record.erase'])
    expect(JSON.stringify(rows)).not.toMatch(/ada|member:1/)
    expect(rows[1]).toMatchObject({ actor: 'owner', reason: 'asked for it' })
  })

  test('a restored copy of an erased person is found by the current list', async () => {
    const ada = await save({ slug: 'ada', number: 1 })
    await save({ slug: 'bea', number: 2 })
    const { items } = await fixture.store.suppressions.exportSuppressions({ limit: 10 })
    expect(items).toEqual([])
    const elsewhere = await openTestStore(engine)
    await elsewhere.store.records.saveFetch(fetched({ slug: 'ada-elsewhere', number: 1 }))
    await eraseSubject(elsewhere.store, elsewhere.store.suppressionChanges, {
      kind: 'people',
      ref: { identifier: slugOf('ada-elsewhere') },
      ...by,
    })
    const list = await elsewhere.store.suppressions.exportSuppressions({ limit: 100 })
    await elsewhere.close()

    await fixture.store.suppressionChanges.importSuppressions({ items: list.items, actor: 'restore', at: noon })
    const found = await fixture.store.suppressions.findSuppressed({ secret, afterEntityId: 0, limit: 100 })
    expect(found).toMatchObject({ found: [{ entityId: ada.entityId, kind: 'people' }], done: true })
  })
})
