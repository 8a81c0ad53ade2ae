import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { auditOperations } from '../../../src/audit/audit-operations.ts'
import { appendAudit } from '../../../src/audit/audit.ts'
import { exportSubjectWithCalls } from '../../../src/lifecycle/store/erasure/export-subject.ts'
import { suppressionHash } from '../../../src/records/suppression/suppression-hash.ts'
import { engines } from '../../harness/engines.ts'
import {
  asking,
  day,
  fetched,
  noon,
  openTestStore,
  recordIn,
  secret,
  slugOf,
  type TestStore,
  imported,
} from '../store-fixture.ts'

describe.each(engines)('history on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())
  const save: TestStore['save'] = (subject) => fixture.save(subject)

  test('every fetch stays, newest first, with its source', async () => {
    const first = await save({ slug: 'ada', number: 1, record: { headline: 'one' } })
    const second = await save({ slug: 'ada', number: 1, at: noon + day, provider: 'other', thin: true })
    const history = await fixture.store.entities.history({ ref: { identifier: slugOf('ada') } })
    expect(history).toMatchObject({ key: 'urn:li:member:1', kind: 'people' })
    expect(history?.versions).toEqual([
      {
        versionId: second.versionId,
        fetchId: second.fetchId,
        provider: 'other',
        projection: 1,
        fetchedAt: noon + day,
        sourceUpdatedAt: null,
        thin: true,
        current: false,
      },
      {
        versionId: first.versionId,
        fetchId: first.fetchId,
        provider: 'mirror',
        projection: 1,
        fetchedAt: noon,
        sourceUpdatedAt: null,
        thin: false,
        current: true,
      },
    ])
    const body = await fixture.store.records.versionBody({ versionId: first.versionId })
    expect(body).toMatchObject({ kind: 'people', provider: 'mirror', thin: false })
    expect(recordIn(body).headline).toBe('one')
    expect(await fixture.store.records.versionBody({ versionId: 99 })).toBeNull()
  })

  test('a better projection replaces the old one without another fetch, and reports the new fields', async () => {
    const saved = await save({ slug: 'ada', number: 1, payload: { h: 'from the archive' } })
    await save({ slug: 'bea', number: 2, provider: 'other' })
    const batch = await fixture.store.entities.reprojectBatch({ provider: 'mirror', afterVersionId: 0, limit: 10 })
    expect(batch).toMatchObject({
      done: true,
      seen: 1,
      items: [{ versionId: saved.versionId, kind: 'people', projection: 1 }],
    })
    expect(JSON.parse(Buffer.from(batch.items[0]!.payload).toString())).toEqual({ h: 'from the archive' })

    const better = fetched({ slug: 'ada', number: 1, record: { headline: 'from the archive', skills: ['x'] } })
    const item = {
      versionId: saved.versionId,
      projection: 2,
      body: better.body,
      parts: better.parts,
      thin: false,
      sourceUpdatedAt: 5,
      suppressionHashes: better.suppressionHashes,
    }
    expect(await fixture.store.entities.replaceProjections({ items: [item] })).toEqual([
      { versionId: saved.versionId, entityId: saved.entityId, result: 'replaced', filled: ['headline', 'skills'] },
    ])
    const { copy } = await fixture.store.records.readRecord(asking(slugOf('ada')))
    expect(copy).toMatchObject({ versionId: saved.versionId, fetchedAt: noon, sourceUpdatedAt: 5 })
    expect(recordIn(copy).headline).toBe('from the archive')
    expect(await fixture.store.entities.replaceProjections({ items: [item] })).toMatchObject([
      { result: 'unchanged', filled: [] },
    ])
    expect(
      (await fixture.store.entities.reprojectBatch({ upToDate: { mirror: 2, other: 1 }, afterVersionId: 0, limit: 10 }))
        .items,
    ).toEqual([])
  })

  test('a reprojection restores nothing of a suppressed or erased subject', async () => {
    const saved = await save({ slug: 'ada', number: 1 })
    const { body, parts, suppressionHashes } = fetched({ slug: 'ada', number: 1, record: { headline: 'again' } })
    const item = {
      versionId: saved.versionId,
      projection: 2,
      body,
      parts,
      thin: false,
      sourceUpdatedAt: null,
      suppressionHashes,
    }
    const hashes = [suppressionHash(secret, 'people', { type: 'slug', value: 'ada' })]
    await fixture.store.suppressionChanges.addSuppressions({
      hashes,
      kind: 'people',
      origin: 'operator',
      reason: null,
      actor: 'owner',
      at: noon,
    })

    expect(
      await fixture.store.entities.replaceProjections({
        items: [item, { ...item, versionId: 99, suppressionHashes: [] }],
      }),
    ).toMatchObject([{ result: 'suppressed' }, { result: 'gone' }])
    expect(recordIn(await fixture.store.records.readVersion({ versionId: saved.versionId })).headline).toBeNull()
  })

  test('a reprojected record keeps the key of the entity that it joined', async () => {
    await save({ slug: 'ada', number: 1 })
    const derived = await save({ slug: 'ada', provider: 'other', at: noon + 1 })
    const again = fetched({ slug: 'ada', provider: 'other', record: { headline: 'new' } })
    const item = {
      versionId: derived.versionId,
      projection: 2,
      body: again.body,
      parts: again.parts,
      thin: false,
      sourceUpdatedAt: null,
      suppressionHashes: [],
    }
    await fixture.store.entities.replaceProjections({ items: [item] })
    expect(recordIn((await fixture.store.records.readRecord(asking(slugOf('ada')))).copy)).toMatchObject({
      member_urn: 'urn:li:member:1',
      headline: 'new',
    })
  })

  test('an answer that turns out to be full is served', async () => {
    await save({ slug: 'ada', number: 1 })
    const thin = await save({ slug: 'ada', number: 1, at: noon + day, thin: true })
    const full = fetched({ slug: 'ada', number: 1, record: { headline: 'not so thin' } })
    await fixture.store.entities.replaceProjections({
      items: [
        {
          versionId: thin.versionId,
          projection: 2,
          body: full.body,
          parts: full.parts,
          thin: false,
          sourceUpdatedAt: null,
          suppressionHashes: [],
        },
      ],
    })
    expect((await fixture.store.records.readRecord(asking(slugOf('ada')))).copy?.versionId).toBe(thin.versionId)
  })

  test('a repeated import saves new records, updates known ones and skips equal ones', async () => {
    const items = Array.from({ length: 250 }, (_, index) => imported({ slug: `p-${index}`, number: index + 1 }))
    expect(new Set(await fixture.store.entities.importRecords({ items, at: noon }))).toEqual(new Set(['saved']))
    expect(new Set(await fixture.store.entities.importRecords({ items, at: noon + 1 }))).toEqual(new Set(['unchanged']))
    expect(await fixture.db.selectFrom('versions').selectAll().execute()).toHaveLength(250)

    const changed = imported({ slug: 'p-7', number: 8, record: { headline: 'changed' } })
    const twin = imported({ slug: 'p-new', number: 8 })
    expect(await fixture.store.entities.importRecords({ items: [changed, twin], at: noon + 2 })).toEqual([
      'saved',
      'saved',
    ])
    expect(
      (await fixture.store.entities.history({ kind: 'people', ref: { key: 'urn:li:member:8' } }))?.versions,
    ).toHaveLength(3)
    const { copy } = await fixture.store.records.readRecord(asking(slugOf('p-200')))
    expect(copy).toMatchObject({ key: 'urn:li:member:201', provider: 'import', fetchedAt: noon })
    expect(copy?.fetchId).not.toBeNull()
  })

  test('two records of one batch that are the same entity become one', async () => {
    const items = [
      imported({ slug: 'a', number: 1 }),
      imported({ slug: 'b', number: 1 }),
      imported({ slug: 'b', derivedKey: 'x' }),
    ]
    await fixture.store.entities.importRecords({ items, at: noon })
    expect(await fixture.db.selectFrom('entities').selectAll().execute()).toHaveLength(1)
  })

  test('an import is as old as its data: it does not replace a newer record, and enters its history once', async () => {
    const newer = await save({ slug: 'ada', number: 1, at: noon })
    const items = [
      imported({ slug: 'ada', number: 1, at: noon - 300 * day, record: { headline: 'old' } }),
      imported({ slug: 'bea', number: 2, at: noon - 300 * day }),
    ]

    expect(await fixture.store.entities.importRecords({ items, at: noon + day })).toEqual(['older', 'saved'])
    expect(await fixture.store.entities.importRecords({ items, at: noon + 2 * day })).toEqual([
      'unchanged',
      'unchanged',
    ])

    expect((await fixture.store.records.readRecord(asking(slugOf('ada')))).copy).toMatchObject({
      versionId: newer.versionId,
      fetchedAt: noon,
    })
    expect((await fixture.store.records.readRecord(asking(slugOf('bea')))).copy?.fetchedAt).toBe(noon - 300 * day)
    const history = await fixture.store.entities.history({ kind: 'people', ref: { identifier: slugOf('ada') } })
    expect(history?.versions.map(({ fetchedAt, current }) => [fetchedAt, current])).toEqual([
      [noon, true],
      [noon - 300 * day, false],
    ])
  })

  test('the same data with a later time makes the record younger', async () => {
    await fixture.store.entities.importRecords({ items: [imported({ slug: 'ada', number: 1 })], at: noon })

    const later = { ...imported({ slug: 'ada', number: 1 }), fetchedAt: noon + day }
    expect(await fixture.store.entities.importRecords({ items: [later], at: noon + 2 * day })).toEqual(['saved'])

    expect((await fixture.store.records.readRecord(asking(slugOf('ada')))).copy?.fetchedAt).toBe(noon + day)
  })

  test('an import takes no name, and restores no withdrawn copy, if the store knows something newer', async () => {
    const holder = await save({ slug: 'ada', number: 1, at: noon })
    await save({ slug: 'bea', number: 3, at: noon - 200 * day })
    const { suppressionHash } = asking(slugOf('bea'))
    const miss = { provider: 'mirror', status: 404, cost: null, durationMs: 1, payload: null }
    await fixture.store.records.saveMiss({ ...miss, identifier: slugOf('bea'), suppressionHash, at: noon })
    const items = [
      imported({ slug: 'ada', number: 2, at: noon - 100 * day }),
      imported({ slug: 'bea', number: 3, at: noon - 100 * day }),
    ]

    await fixture.store.entities.importRecords({ items, at: noon + day })

    expect((await fixture.store.records.readRecord(asking(slugOf('ada')))).copy?.entityId).toBe(holder.entityId)
    expect(await fixture.store.records.readRecord(asking(slugOf('bea')))).toMatchObject({
      copy: null,
      notFoundAt: noon,
    })
  })

  test('the export of a subject has records, sources, payloads, names and the receiving projects', async () => {
    const saved = await save({ slug: 'ada', number: 1, payload: { raw: true } })
    await fixture.db
      .insertInto('projects')
      .values({ name: 'acme', suspended: 0, billing_blocked: 0, created_at: 0 })
      .execute()
    const account = await fixture.db
      .insertInto('environments')
      .values({ project: 'acme', name: 'production', balance: 0, held: 0, created_at: 0 })
      .returning('id')
      .executeTakeFirstOrThrow()
    const call = {
      at: noon,
      mode: 'live' as const,
      key_id: 'k',
      account_id: account.id,
      kind: 'people' as const,
      status: 200,
      code: null,
      source: 'live',
      credits: 1,
      identifier: null,
      version_id: saved.versionId,
      fetch_id: null,
      replay_of: null,
      duration_ms: null,
    }
    await fixture.db
      .insertInto('calls')
      .values([
        { ...call, request_id: 'r1', entity_id: saved.entityId },
        { ...call, request_id: 'r2', entity_id: 4711 },
      ])
      .execute()

    const held = await exportSubjectWithCalls(fixture.store, { kind: 'people', ref: { identifier: slugOf('ada') } })
    expect(held).toMatchObject({
      key: 'urn:li:member:1',
      versions: [{ provider: 'mirror', fetchedAt: noon }],
      fetches: [{ outcome: 'found', status: 200, identifier: 'slug:ada' }],
    })
    expect(held?.aliases.map(({ type, value }) => `${type}:${value}`)).toEqual(
      expect.arrayContaining(['slug:ada', 'member:1', 'urn:urn:li:member:1']),
    )
    expect(JSON.parse(Buffer.from(held!.fetches[0]!.payload!).toString())).toEqual({ raw: true })
    expect(held?.calls).toEqual([
      {
        requestId: 'r1',
        at: noon,
        project: 'acme',
        environment: 'production',
        status: 200,
        source: 'live',
        versionId: saved.versionId,
      },
    ])
    expect(await exportSubjectWithCalls(fixture.store, { ref: { identifier: slugOf('nobody') } })).toBeNull()
  })

  test('a changed or removed audit row breaks the chain', async () => {
    for (let index = 0; index < 7; index++)
      await auditOperations.recordAudit(fixture, {
        at: noon + index,
        actor: 'owner',
        action: index % 2 ? 'record.read' : 'key.create',
        subject: `s${index}`,
        after: { index },
      })
    const verify = async () => {
      for (let afterId = 0; ;) {
        const check = await auditOperations.verifyAudit(fixture, { afterId, limit: 3 })
        if (check.done) return check.brokenAt
        afterId = check.lastId
      }
    }
    expect(await verify()).toBeNull()
    const page = await auditOperations.listAudit(fixture, { limit: 2, action: 'record.read' })
    expect(page.items.map((item) => [item.subject, item.after])).toEqual([
      ['s5', { index: 5 }],
      ['s3', { index: 3 }],
    ])
    expect(
      (await auditOperations.listAudit(fixture, { limit: 2, action: 'record.read', cursor: page.next })).items,
    ).toHaveLength(1)
    expect((await auditOperations.listAudit(fixture, { limit: 9, subject: 's2' })).items).toHaveLength(1)

    const rows = await fixture.db.selectFrom('audit').selectAll().orderBy('id').execute()
    await fixture.db.updateTable('audit').set({ actor: 'someone' }).where('id', '=', rows[4]!.id).execute()
    expect(await verify()).toBe(rows[4]!.id)
    await fixture.db.updateTable('audit').set({ actor: 'owner' }).where('id', '=', rows[4]!.id).execute()
    expect(await verify()).toBeNull()
    await fixture.db.deleteFrom('audit').where('id', '=', rows[0]!.id).execute()
    expect(await verify()).toBe(rows[1]!.id)
  })

  test('concurrently appended entries form one chain', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        fixture.write(({ db: tx }) => appendAudit(tx, fixture.dialect, { at: index, actor: 'a', action: 'x' })),
      ),
    )
    expect(await auditOperations.verifyAudit(fixture, { afterId: 0, limit: 100 })).toMatchObject({
      checked: 8,
      brokenAt: null,
      done: true,
    })
  })
})
