import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cutBody } from '../../../src/records/body/record-bytes.ts'
import { derivedCompanyId } from '../../../src/foundation/identifier.ts'
import { engines } from '../../harness/engines.ts'
import { asking, day, noon, openTestStore, recordIn, slugOf, type TestStore } from '../store-fixture.ts'

describe.each(engines)('entities on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())
  const save: TestStore['save'] = (subject) => fixture.save(subject)
  const recallSlug = async (slug: string) => (await fixture.store.records.readRecord(asking(slugOf(slug)))).copy

  test('a record is recalled as it was saved, under every name it has', async () => {
    const saved = await save({
      slug: 'ada',
      number: 1,
      more: [{ type: 'opaque', value: 'ACoAAada' }],
      record: { headline: 'Zażółć 数学 🜁' },
    })

    for (const alias of [slugOf('ada'), { kind: 'people', type: 'opaque', value: 'ACoAAada' } as const]) {
      const { copy, suppressed, notFoundAt } = await fixture.store.records.readRecord(asking(alias))
      expect({ suppressed, notFoundAt }).toEqual({ suppressed: false, notFoundAt: null })
      expect(copy).toMatchObject({
        entityId: saved.entityId,
        versionId: saved.versionId,
        key: 'urn:li:member:1',
        provider: 'mirror',
        fetchedAt: noon,
        thin: false,
      })
      // It is stored as it was sent, so no changed version is returned.
      expect(saved.fitted).toBeNull()
      expect(recordIn(copy).headline).toBe('Zażółć 数学 🜁')
    }
    expect(await fixture.store.records.readRecord(asking(slugOf('nobody')))).toEqual({
      suppressed: false,
      notFoundAt: null,
      copy: null,
    })
  })

  test('the bytes of a copy own their memory, so that only they are transferred to another thread', async () => {
    await save({ slug: 'ada', number: 1 })
    const copy = await recallSlug('ada')
    expect(copy!.body.byteLength).toBe(copy!.body.buffer.byteLength)
  })

  test('a renamed slug finds the same entity, and so does the old one', async () => {
    const first = await save({ slug: 'ada', number: 1 })
    const second = await save({ slug: 'ada-new', number: 1, at: noon + day })

    expect(second.entityId).toBe(first.entityId)
    expect((await recallSlug('ada'))?.versionId).toBe(second.versionId)
    const history = await fixture.store.entities.history({ ref: { identifier: slugOf('ada-new') } })
    expect(history?.versions.map((version) => version.versionId)).toEqual([second.versionId, first.versionId])
  })

  test('the requested name becomes an alias too: an old slug that upstream redirects stays known', async () => {
    const saved = await save({ slug: 'new-name', asked: { type: 'slug', value: 'old-name' }, number: 1 })
    expect((await recallSlug('old-name'))?.versionId).toBe(saved.versionId)
  })

  test('a slug taken over by someone else follows the newest fetch, and the older entity keeps its history', async () => {
    const first = await save({ slug: 'ada', number: 1 })
    const second = await save({ slug: 'ada', number: 2, at: noon + day })

    expect(second.entityId).not.toBe(first.entityId)
    expect((await recallSlug('ada'))?.entityId).toBe(second.entityId)
    expect(
      (await fixture.store.entities.history({ kind: 'people', ref: { key: 'urn:li:member:1' } }))?.versions,
    ).toHaveLength(1)
    // A delayed answer does not take the name back.
    await save({ slug: 'ada', number: 1, at: noon + day - 1 })
    expect((await recallSlug('ada'))?.entityId).toBe(second.entityId)
  })

  test('a company is one entity by slug, number and key', async () => {
    const bySlug = await save({ kind: 'companies', slug: 'example', number: 77 })
    const byNumber = await save({ kind: 'companies', number: 77, at: noon + 1 })
    expect(byNumber.entityId).toBe(bySlug.entityId)
    const { copy } = await fixture.store.records.readRecord(asking({ kind: 'companies', type: 'id', value: '77' }))
    expect(copy?.versionId).toBe(byNumber.versionId)
    expect((await fixture.store.entities.showEntity({ ref: { key: '77' } }))?.kind).toBe('companies')
  })

  test('people and companies of one slug are never mixed', async () => {
    const person = await save({ slug: 'example', number: 77 })
    const company = await save({ kind: 'companies', slug: 'example', number: 77 })
    expect(company.entityId).not.toBe(person.entityId)
    expect((await fixture.store.records.readRecord(asking(slugOf('example', 'companies')))).copy?.entityId).toBe(
      company.entityId,
    )
  })

  test('a derived identity joins the real entity that holds its slug, and its record shows it', async () => {
    const real = await save({ slug: 'ada', number: 1 })
    const derived = await save({
      slug: 'ada',
      provider: 'other',
      at: noon + 1,
      record: { contact_info: null, headline: 'derived' },
    })

    expect(derived).toMatchObject({ entityId: real.entityId, key: 'urn:li:member:1' })
    const { body, parts } = derived.fitted!
    expect(recordIn({ body })).toMatchObject({ member_urn: 'urn:li:member:1', headline: 'derived' })
    expect(recordIn(await recallSlug('ada')).member_urn).toBe('urn:li:member:1')
    // The offsets of the optional parts moved with the bytes.
    const bare = cutBody(
      { body: Buffer.from(body), parts: JSON.parse(parts!) },
      { network: false, verifications: false, contact: false },
    )
    expect(JSON.parse(bare.toBuffer().toString())).toEqual(recordIn({ body }))
  })

  test("a person keeps the key that was stored first; the platform's resolves to it and goes into entity_urn", async () => {
    const derived = await save({ slug: 'ada', provider: 'other' })
    const real = await save({ slug: 'ada', number: 1, at: noon + 1 })
    const again = await save({ slug: 'ada-new', number: 1, at: noon + 2 })

    for (const saved of [real, again]) expect(saved).toMatchObject({ entityId: derived.entityId, key: derived.key })
    expect(recordIn(await recallSlug('ada-new'))).toMatchObject({
      member_urn: derived.key,
      entity_urn: 'urn:li:member:1',
    })
    for (const key of [derived.key, 'urn:li:member:1'])
      expect((await fixture.store.entities.history({ kind: 'people', ref: { key } }))?.versions).toHaveLength(3)
  })

  test("a company shows the platform's number once it is known, and its derived ids always find it", async () => {
    const derived = await save({ kind: 'companies', slug: 'example', derivedKey: '0123456789abcdef' })
    const real = await save({ kind: 'companies', slug: 'example', number: 77, at: noon + 1 })
    const other = await save({ kind: 'companies', slug: 'example', number: 88, at: noon + 2 })
    const renamed = await save({ kind: 'companies', slug: 'example-two', number: 77, at: noon + 3 })

    expect(real).toMatchObject({ entityId: derived.entityId, key: '77' })
    expect(other.entityId).not.toBe(real.entityId)
    expect(renamed.entityId).toBe(real.entityId)
    for (const value of [derived.key, derivedCompanyId('example'), derivedCompanyId('example-two')]) {
      const { copy } = await fixture.store.records.readRecord(asking({ kind: 'companies', type: 'id', value }))
      expect(recordIn(copy).company_id, value).toBe('77')
    }
    expect((await fixture.store.records.readRecord(asking(slugOf('example', 'companies')))).copy?.key).toBe('88')
  })

  test('a derived key stays with its person when its slug moves to another one', async () => {
    const first = await save({ slug: 'ada', provider: 'other' })
    await save({ slug: 'ada', number: 1, at: noon + 1 })
    const second = await save({ slug: 'ada', number: 2, at: noon + 2 })
    // Only its slug is known, so it belongs to the newest holder.
    const bare = await save({ slug: 'ada', provider: 'other', at: noon + 3 })

    expect(bare).toMatchObject({ entityId: second.entityId, key: 'urn:li:member:2' })
    expect((await fixture.store.entities.history({ kind: 'people', ref: { key: first.key } }))?.entityId).toBe(
      first.entityId,
    )
  })

  test('of entities that turn out to be one the first stored stays, with the names and the history of all', async () => {
    const bySlug = await save({ slug: 'ada', provider: 'a', derivedKey: 'one' })
    const byVendor = await save({
      provider: 'b',
      derivedKey: 'two',
      asked: { type: 'opaque', value: 'ACoAAx' },
      more: [{ type: 'vendor', value: '9' }],
    })
    const byNumber = await save({ slug: 'other-ada', number: 1 })
    expect(new Set([bySlug.entityId, byVendor.entityId, byNumber.entityId]).size).toBe(3)
    const all = await save({ slug: 'ada', number: 1, more: [{ type: 'vendor', value: '9' }], at: noon + 1 })

    expect(all).toMatchObject({
      entityId: bySlug.entityId,
      key: bySlug.key,
      absorbed: [byVendor.entityId, byNumber.entityId],
    })
    const shown = await fixture.store.entities.showEntity({ kind: 'people', ref: { key: 'urn:li:member:1' } })
    expect(shown?.aliases.map((alias) => alias.type)).toEqual(
      expect.arrayContaining(['slug', 'urn', 'opaque', 'member', 'vendor']),
    )
    expect(shown?.fetches).toHaveLength(4)
    for (const key of [bySlug.key, byVendor.key, byNumber.key]) {
      expect((await fixture.store.entities.history({ kind: 'people', ref: { key } }))?.entityId).toBe(all.entityId)
    }
    expect(await fixture.db.selectFrom('entities').selectAll().execute()).toHaveLength(1)
    expect(
      (await fixture.store.erasure.exportSubject({ kind: 'people', ref: { key: all.key } }))?.callEntityIds,
    ).toHaveLength(3)
  })

  test('two guesses with different platform ids are not merged by a payload that shares a name with both', async () => {
    const opaque = (value: string) => [{ type: 'opaque', value }]
    const one = await save({ slug: 'ada', derivedKey: 'one', more: opaque('ACoAAone') })
    const two = await save({ derivedKey: 'two', asked: { type: 'vendor', value: '9' }, more: opaque('ACoAAtwo') })
    const bare = await save({ slug: 'ada', derivedKey: 'ada', more: [{ type: 'vendor', value: '9' }], at: noon + 1 })

    expect(bare.absorbed).toEqual([])
    expect([one.entityId, two.entityId]).toContain(bare.entityId)
  })

  test('two real keys are never merged, even when they share other names', async () => {
    const one = await save({ slug: 'ada', number: 1, more: [{ type: 'vendor', value: '9' }] })
    const two = await save({ slug: 'ada', number: 2, more: [{ type: 'vendor', value: '9' }], at: noon + 1 })
    expect(two.entityId).not.toBe(one.entityId)
  })

  test('a slug alone does not join two entities with different platform ids', async () => {
    const one = await save({ slug: 'ada', derivedKey: 'one', more: [{ type: 'opaque', value: 'ACoAAone' }] })
    const two = await save({
      slug: 'ada',
      derivedKey: 'two',
      more: [{ type: 'opaque', value: 'ACoAAtwo' }],
      at: noon + 1,
    })
    expect(two.entityId).not.toBe(one.entityId)
    expect((await recallSlug('ada'))?.entityId).toBe(two.entityId)
  })

  test('a copy that stays served after a merge has the key that stays', async () => {
    const first = await save({ slug: 'ada', provider: 'other', at: noon - day })
    await save({ slug: 'ada-two', number: 1, record: { headline: 'full' } })
    const both = await save({ slug: 'ada', number: 1, thin: true, at: noon + day })
    expect(both.served).toBe(false)
    expect(recordIn(await recallSlug('ada'))).toMatchObject({ member_urn: first.key, headline: 'full' })
  })

  test('concurrent saves of one entity end in one entity', async () => {
    const saves = Array.from({ length: 12 }, (_, index) =>
      save({
        slug: index % 3 === 0 ? 'ada' : `ada-${index % 3}`,
        provider: `p${index}`,
        at: noon + index,
        ...(index % 2 === 0 ? { number: 1 } : { derivedKey: `d${index}`, more: [{ type: 'member', value: '1' }] }),
      }),
    )
    const saved = await Promise.all(saves)
    expect(await fixture.db.selectFrom('entities').selectAll().execute()).toHaveLength(1)
    expect(await fixture.db.selectFrom('versions').selectAll().execute()).toHaveLength(12)
    const last = saved.at(-1)!
    expect(
      (await fixture.store.entities.showEntity({ kind: 'people', ref: { key: 'urn:li:member:1' } }))?.current
        ?.versionId,
    ).toBe(last.versionId)
  })
})
