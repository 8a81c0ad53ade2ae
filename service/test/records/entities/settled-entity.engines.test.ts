import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { derivedCompanyId } from '../../../src/foundation/identifier.ts'
import { aliasesOf, aliasText } from '../../../src/records/identifiers/alias.ts'
import { resolveEntity } from '../../../src/records/entities/resolve-entity.ts'
import { engines } from '../../harness/engines.ts'
import { day, fetched, noon, openTestStore, type TestStore } from '../store-fixture.ts'

type Subject = Parameters<TestStore['save']>[0]

/** How a save determines the entity of its record, and what it writes. */
describe.each(engines)('the entity of a record on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())
  const save: TestStore['save'] = (subject) => fixture.save(subject)

  async function resolve(subject: Subject, at = noon + day) {
    const { identifier, identity, provider, thin, texts, body } = fetched(subject)
    const { kind } = identifier
    const aliases = aliasesOf(kind, identity, identifier)
    const record = { provider, thin, texts, body }
    const wanted = { kind, identity, aliases, fetchedAt: subject.at ?? noon, at, record }
    const { names, ...entity } = await fixture.write(({ db, dialect }) => resolveEntity(db, dialect, wanted))
    return { ...entity, names: names.map(aliasText).toSorted() }
  }
  const row = (id: number) =>
    fixture.db.selectFrom('entities').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const company = (slug: string, more: Partial<Subject> = {}): Subject => ({ kind: 'companies', slug, ...more })

  test('an unknown one is new, with all its names and the facts of its first version', async () => {
    const made = await resolve({ slug: 'ada', number: 1, provider: 'a', thin: true, at: noon - day })
    expect(made).toEqual({
      id: made.id,
      key: 'urn:li:member:1',
      versionId: null,
      isNew: true,
      absorbed: [],
      sides: [],
      rekeyed: false,
      contested: false,
      names: ['member:1', 'slug:ada', 'urn:urn:li:member:1'],
    })
    expect(await row(made.id)).toMatchObject({
      kind: 'people',
      derived: 0,
      created_at: noon - day,
      used_at: noon + day,
      provider: 'a',
      fetched_at: noon - day,
      thin: 1,
      name: 'ada example',
    })
    const guess = await resolve({ slug: 'bea', record: { first_name: null, last_name: null } })
    expect(await row(guess.id)).toMatchObject({ derived: 1, thin: 0, words: null })
  })

  test('a known, uncontested one keeps its key, its version and its names', async () => {
    for (const subject of [{ slug: 'ada', number: 1 }, { slug: 'bea' }, company('acme')]) {
      const { entityId, versionId, key } = await save(subject)
      const { derived } = await row(entityId)
      const names = expect.arrayContaining([`slug:${subject.slug}`, `${'kind' in subject ? 'id' : 'urn'}:${key}`])
      const alone = {
        id: entityId,
        key,
        versionId,
        isNew: false,
        absorbed: [],
        sides: [],
        rekeyed: false,
        contested: false,
        names,
      }
      expect(await resolve(subject)).toEqual(alone)
      expect((await row(entityId)).derived).toBe(derived)
    }
  })

  test('it counts from its first collection and its last save, in any order of arrival', async () => {
    const { entityId } = await save({ slug: 'ada', number: 1, at: noon })
    await resolve({ slug: 'ada', number: 1, at: noon - day }, noon + day)
    expect(await row(entityId)).toMatchObject({ created_at: noon - day, used_at: noon + day })
    await resolve({ slug: 'ada', number: 1, at: noon }, noon)
    expect(await row(entityId)).toMatchObject({ created_at: noon - day, used_at: noon + day })
  })

  test('a new one among others is contested, and takes over all names except their issued keys', async () => {
    const ours = derivedCompanyId('acme-us')
    const more = [{ type: 'vendor', value: ours }]
    await save(company('acme', { number: 77, more }))
    const made = await resolve(company('acme', { number: 88, more: [{ type: 'slug', value: 'acme-us' }] }))
    expect(made).toMatchObject({ isNew: true, contested: true, key: '88' })
    expect(made.names).toEqual([`id:${ours}`, 'id:88', 'slug:acme', 'slug:acme-us'].toSorted())
  })

  test('a known one among others is contested, and keeps its issued keys', async () => {
    await save(company('acme', { number: 77 }))
    const { entityId, versionId } = await save(company('acme', { number: 88, at: noon + 1 }))
    const known = await resolve(company('acme', { number: 88, more: [{ type: 'slug', value: 'acme-us' }] }))
    expect(known).toMatchObject({ id: entityId, versionId, contested: true, rekeyed: false })
    expect(known.names).toEqual([`id:${derivedCompanyId('acme-us')}`, 'id:88', 'slug:acme', 'slug:acme-us'].toSorted())
  })

  test("a company has the platform's number as soon as one of its parts has it", async () => {
    const guess = await save(company('acme', { derivedKey: '0123456789abcdef' }))
    const numbered = await resolve(company('acme', { number: 77 }))
    expect(numbered).toMatchObject({ id: guess.entityId, key: '77', rekeyed: true, versionId: guess.versionId })
    expect(await row(guess.entityId)).toMatchObject({ key: '77', derived: 0 })
  })

  test('among merged entities the number stays the key, whoever was stored first and whoever proves it', async () => {
    const vendor = [{ type: 'vendor', value: '9' }]
    const guess = await save({
      kind: 'companies',
      derivedKey: '0123456789abcdef',
      asked: { type: 'vendor', value: '9' },
    })
    const real = await save(company('acme', { number: 77 }))
    const proof = await resolve(company('acme', { derivedKey: 'fedcba9876543210', more: vendor }))

    expect(proof).toMatchObject({
      id: guess.entityId,
      key: '77',
      absorbed: [real.entityId],
      rekeyed: true,
      contested: true,
    })
    // The issued keys of the others find the merged entity.
    expect(proof.names).toEqual(expect.arrayContaining([`id:${derivedCompanyId('acme')}`, 'id:vitae-fedcba9876543210']))
    expect(await row(guess.entityId)).toMatchObject({ key: '77', derived: 0 })
  })

  test('among merged guesses the first key stays, and the newest version is served', async () => {
    const first = await save({
      kind: 'companies',
      derivedKey: '0000000000000001',
      asked: { type: 'vendor', value: '9' },
    })
    const second = await save(company('acme', { at: noon + 1 }))
    const both = await resolve(company('acme', { more: [{ type: 'vendor', value: '9' }] }))

    expect(both).toMatchObject({ id: first.entityId, key: first.key, versionId: second.versionId, rekeyed: true })
    expect(await row(first.entityId)).toMatchObject({ key: first.key, derived: 1 })
  })
})
