import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clocksDifferMs } from '../../../src/foundation/clock.ts'
import {
  aliasIn,
  claimAliases,
  holderOf,
  noteDenials,
  readDenials,
  withdrawAlias,
} from '../../../src/records/rows/alias-rows.ts'
import { bestVersion, mergeEntities } from '../../../src/records/entities/merge-entities.ts'
import { engines } from '../../harness/engines.ts'
import { day, noon, openTestStore, type TestStore } from '../store-fixture.ts'

const ada = { type: 'slug', value: 'ada' }
const bea = { type: 'slug', value: 'bea' }

describe.each(engines)('the rows of names on $name', (engine) => {
  let fixture: TestStore
  let one: number
  let other: number
  beforeEach(async () => {
    fixture = await openTestStore(engine)
    one = await entity('urn:li:member:1', noon)
    other = await entity('urn:li:member:2', noon + 1)
  })
  afterEach(() => fixture.close())

  async function entity(key: string, created_at: number): Promise<number> {
    const nothing = { version_id: null, provider: null, name: null, words: null, used_at: null }
    const values = { kind: 'people', key, derived: 0, created_at, ...nothing } as const
    const { id } = await fixture.db.insertInto('entities').values(values).returning('id').executeTakeFirstOrThrow()
    return id
  }

  interface Claiming {
    aliases?: (typeof ada)[]
    contested?: boolean
    now?: number
  }
  const claim = (id: number, at: number, { aliases = [ada], contested = true, now = at }: Claiming = {}) =>
    fixture.write(({ db, dialect }) =>
      claimAliases(db, dialect, { kind: 'people', aliases, entity: { id, contested }, at, now }),
    )
  const withdraw = (at: number, alias = ada) =>
    fixture.write(({ db }) => withdrawAlias(db, { kind: 'people', alias, at }))
  const deny = (at: number, ...providers: string[]) =>
    fixture.write(({ db }) => noteDenials(db, { kind: 'people', alias: ada, at, providers }))
  const holder = (alias = ada, kind: 'people' | 'companies' = 'people') => holderOf(fixture.db, kind, alias)
  const row = ({ value }: typeof ada) =>
    fixture.db.selectFrom('aliases').selectAll().where('value', '=', value).executeTakeFirst()
  const former = () =>
    fixture.db.selectFrom('former_aliases').select(['kind', 'type', 'value', 'entity_id', 'until']).execute()

  test('a name belongs to the entity that was fetched under it last', async () => {
    await claim(one, 100, { aliases: [ada, bea] })
    expect(await row(ada)).toMatchObject({ kind: 'people', type: 'slug', entity_id: one, seen_at: 100, withdrawn: 0 })
    await claim(other, 99)
    expect([await holder(), await holder(bea)]).toEqual([one, one])
    await claim(other, 100)
    expect([await holder(), await holder(bea)]).toEqual([other, one])
    await claim(one, 101)
    expect(await row(ada)).toMatchObject({ entity_id: one, seen_at: 101 })
  })

  test('the holder of a name is found by kind, type and value', async () => {
    await claim(one, 100)
    expect(await holder(bea)).toBeNull()
    expect(await holder({ type: 'vendor', value: 'ada' })).toBeNull()
    expect(await holder(ada, 'companies')).toBeNull()
  })

  test('entries of a clock that was ahead are overwritten', async () => {
    await claim(one, noon + clocksDifferMs)
    await claim(other, noon)
    expect(await holder()).toBe(one)
    await claim(one, noon + clocksDifferMs + 1)
    await claim(other, noon)
    expect(await holder()).toBe(other)
    expect(await former()).toEqual(expect.arrayContaining([{ kind: 'people', ...ada, entity_id: one, until: noon }]))
  })

  test('the former holder of a name is remembered, once per name', async () => {
    await claim(one, 100, { aliases: [ada, bea] })
    expect(await former()).toEqual([])
    await claim(other, 101)
    expect(await former()).toEqual([{ kind: 'people', ...ada, entity_id: one, until: 101 }])
    await claim(one, 102)
    await claim(other, 103)
    await claim(other, 104)
    expect((await former()).map(({ entity_id }) => entity_id).toSorted((a, b) => a - b)).toEqual([one, other])
    // The save itself states it if nobody else has one of its names.
    await claim(other, 105, { aliases: [bea], contested: false })
    expect(await former()).toHaveLength(2)
  })

  test('an entity answered under a name that a newer one holds is remembered for that name alone', async () => {
    await claim(one, 100)
    await claim(other, 99, { aliases: [ada, bea] })
    expect(await former()).toEqual([{ kind: 'people', ...ada, entity_id: other, until: 99 }])
    await claim(one, 98)
    expect(await former()).toHaveLength(1)
  })

  test('a withdrawn name keeps its holder until it is fetched again', async () => {
    await claim(one, 100)
    await withdraw(101)
    expect(await row(ada)).toMatchObject({ entity_id: one, withdrawn: 1, not_found_at: 101, seen_at: 101 })
    await claim(one, 102)
    expect(await row(ada)).toMatchObject({ entity_id: one, withdrawn: 0, not_found_at: null, seen_at: 102 })
    await withdraw(100, bea)
    expect(await row(bea)).toMatchObject({
      type: 'slug',
      entity_id: null,
      withdrawn: 1,
      not_found_at: 100,
      seen_at: 100,
    })
  })

  test('a miss from before the newest fetch withdraws nothing, unless the fetch came from a clock ahead', async () => {
    await claim(one, 100)
    await withdraw(99)
    expect(await row(ada)).toMatchObject({ withdrawn: 0, seen_at: 100 })
    await withdraw(100)
    expect(await row(ada)).toMatchObject({ withdrawn: 1, seen_at: 100 })
    await claim(one, noon + clocksDifferMs)
    await withdraw(noon)
    expect(await row(ada)).toMatchObject({ withdrawn: 0 })
    await claim(one, noon + clocksDifferMs + 1)
    await withdraw(noon)
    expect(await row(ada)).toMatchObject({ withdrawn: 1, seen_at: noon })
  })

  test('the providers without such a record are stored beside the name, with the latest answer of each', async () => {
    await deny(5, 'a', 'b')
    expect(await row(ada)).toMatchObject({
      kind: 'people',
      type: 'slug',
      entity_id: null,
      withdrawn: 0,
      not_found_at: null,
      seen_at: 0,
    })
    await claim(one, 3)
    await claim(other, 3, { aliases: [bea] })
    await deny(7, 'b', 'c')
    const { denials, ...rest } = (await row(ada))!
    expect(readDenials(denials)).toEqual({ a: 5, b: 7, c: 7 })
    expect(rest).toMatchObject({ entity_id: one, seen_at: 3 })
    expect((await row(bea))?.denials).toBeNull()
    expect(readDenials(null)).toBeUndefined()
  })

  test('names of one kind are searched in one list', async () => {
    await claim(one, 100, { aliases: [ada, bea, { type: 'vendor', value: 'ada' }] })
    const found = (kind: 'people' | 'companies', aliases: (typeof ada)[]) =>
      fixture.db
        .selectFrom('aliases')
        .select(['type', 'value'])
        .where(aliasIn(kind, aliases))
        .orderBy('value')
        .execute()
    expect(await found('people', [ada, bea, { type: 'slug', value: 'eve' }])).toEqual([ada, bea])
    expect(await found('companies', [ada, bea])).toEqual([])
  })

  test('when two become one their former names move too, and the earlier collection counts', async () => {
    await claim(one, 100, { aliases: [ada, bea] })
    await claim(other, 101, { aliases: [ada, bea] })
    await claim(one, 102, { aliases: [ada] })
    // Both held `ada` before.
    expect(await former()).toHaveLength(3)
    await fixture.write(({ db }) =>
      mergeEntities(db, { kind: 'people', from: one, key: 'urn:li:member:1', into: other, at: noon }),
    )
    const left = (await former()).toSorted((a, b) => (a.value < b.value ? -1 : 1))
    expect(left).toMatchObject([
      { ...ada, entity_id: other },
      { ...bea, entity_id: other, until: 101 },
    ])
    const rows = await fixture.db.selectFrom('entities').select(['id', 'created_at']).execute()
    expect(rows).toEqual([{ id: other, created_at: noon }])
    expect(await fixture.db.selectFrom('merged_entities').selectAll().execute()).toMatchObject([
      { id: one, into_id: other, kind: 'people', key: 'urn:li:member:1', at: noon, notified: 0 },
    ])
    expect(await bestVersion(fixture.db, other)).toBeNull()
  })

  test('a merged entity leaves no words behind, and no former name if there was none', async () => {
    const first = await fixture.save({ slug: 'eve', provider: 'a', at: noon - day, record: { last_name: 'Before' } })
    const second = await fixture.save({ slug: 'eva', number: 7, record: { last_name: 'After' } })
    const merge = { kind: 'people', from: first.entityId, key: first.key, into: second.entityId, at: noon } as const
    await fixture.write(({ db }) => mergeEntities(db, merge))
    const words = await fixture.db
      .selectFrom('entity_words')
      .select('word')
      .where('entity_id', '=', first.entityId)
      .execute()
    expect([words, await former()]).toEqual([[], []])
    expect(await bestVersion(fixture.db, second.entityId)).toBe(second.versionId)
  })
})
