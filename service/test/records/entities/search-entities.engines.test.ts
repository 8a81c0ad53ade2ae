import fc from 'fast-check'
import { CompiledQuery, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { kinds } from '@vitae/contract'
import { searchWords } from '../../../src/foundation/text/fold-text.ts'
import { searchQuery, type EntitySearch } from '../../../src/records/entities/search-entities.ts'
import { engines } from '../../harness/engines.ts'
import { asking, day, noon, openTestStore, secret, slugOf, type TestStore } from '../store-fixture.ts'

const at = (company: string, end: null | { year: number; month: number; day: number } = null) => ({
  company_name: company,
  company_id: null,
  company_url: null,
  company_logo_url: null,
  company_industry: null,
  company_employee_count_range: null,
  workplace_type: null,
  date_range: { start: { year: 2020, month: 1, day: 1 }, end },
  positions: [],
})

describe.each(engines)('the search of records on $name', (engine) => {
  let fixture: TestStore
  beforeEach(async () => {
    fixture = await openTestStore(engine)
  })
  afterEach(() => fixture.close())
  const save: TestStore['save'] = (subject) => fixture.save(subject)
  const find = async (text: string, more: Partial<EntitySearch> = {}) =>
    (await fixture.store.entities.searchEntities({ text, limit: 10, ...more })).items.map((item) => item.slug)

  test('a record is found by any word of its name, in any script, and by its current employer', async () => {
    const named = (slug: string, number: number, first: string, last: string, jobs: unknown[] = []) =>
      save({ slug, number, record: { first_name: first, last_name: last, experience: jobs } as never })
    await named('zoe', 1, 'Zoë', 'Müller-Straße', [
      at('Tidewater Robotics'),
      at('Left Long Ago', { year: 2021, month: 1, day: 1 }),
    ])
    await named('ivan', 2, 'Иван', 'Йорданов')
    await named('ming', 3, '小明', '王')
    await save({ kind: 'companies', slug: 'orsted-wind', number: 9, record: { company_name: 'Ørsted Wind A/S' } })

    expect(await find('muller')).toEqual(['zoe'])
    expect(await find('STRASSE')).toEqual(['zoe'])
    expect(await find('zoe str')).toEqual(['zoe'])
    expect(await find('robotics')).toEqual(['zoe'])
    expect(await find('long ago')).toEqual([])
    expect(await find('йорд')).toEqual(['ivan'])
    expect(await find('明')).toEqual(['ming'])
    expect(await find('wind')).toEqual(['orsted-wind'])
    expect(await find('orsted')).toEqual(['orsted-wind'])
    expect(await find('zoe robots')).toEqual([])
  })

  test('a URL finds the record it names', async () => {
    await save({ slug: 'ada-example', number: 1 })
    expect(await find('https://www.example.test/in/ada-example', { identifiers: [slugOf('ada-example')] })).toEqual([
      'ada-example',
    ])
  })

  test('a new version is found, and the previous one no longer', async () => {
    await save({ slug: 'ada', number: 1, record: { experience: [at('Old Works')] } as never })
    await save({ slug: 'ada', number: 1, at: noon + 1, record: { experience: [at('New Works')] } as never })

    expect(await find('old')).toEqual([])
    expect(await find('new')).toEqual(['ada'])
  })

  test('an erased record leaves no word behind', async () => {
    const { entityId } = await save({ slug: 'ada', number: 1 })
    const erase = { kind: 'people' as const, entityIds: [entityId], aliases: [], secret, reason: null, actor: 'a test' }
    await fixture.store.suppressionChanges.eraseEntity({ ...erase, at: noon })

    const { rows } = await sql`select * from entity_words`.execute(fixture.db)
    expect(rows).toEqual([])
    expect((await fixture.store.records.readRecord(asking(slugOf('ada')))).copy).toBeNull()
  })

  test('two records that turn out to be one are found once, by the words of the served one', async () => {
    await save({ slug: 'ada-old', derivedKey: 'x', record: { last_name: 'Before Curie' } })
    await save({ slug: 'ada-new', number: 1, at: noon + 1, record: { last_name: 'After Curie' } })
    await save({
      slug: 'ada-old',
      number: 1,
      at: noon + 2,
      more: [{ type: 'slug', value: 'ada-new' }],
      record: { last_name: 'After Curie' },
    })

    expect(await find('before')).toEqual([])
    expect(await find('after')).toHaveLength(1)
  })

  test('filters and order: provider, thin answers, age, newest or oldest first, page by page', async () => {
    for (let number = 1; number <= 7; number++) {
      await save({
        slug: `p${number}`,
        number,
        at: noon + number * day,
        thin: number === 3,
        provider: number % 2 === 0 ? 'even' : 'odd',
      })
    }
    await save({ kind: 'companies', slug: 'c5', number: 50, at: noon + 5.5 * day, provider: 'odd' })

    expect(await find('', { provider: 'even' })).toEqual(['p6', 'p4', 'p2'])
    expect(await find('', { thin: true })).toEqual(['p3'])
    expect(await find('', { thin: false, provider: 'odd', kind: 'people' })).toEqual(['p7', 'p5', 'p1'])
    expect(await find('', { fetchedBefore: noon + 3 * day })).toEqual(['p2', 'p1'])
    expect(await find('', { fetchedAfter: noon + 6 * day, order: 'oldest' })).toEqual(['p6', 'p7'])
    expect(await find('ada', { provider: 'even', order: 'oldest' })).toEqual(['p2', 'p4', 'p6'])
    for (const order of ['newest', 'oldest'] as const) {
      const all: (string | null)[] = []
      let cursor = null
      do {
        const page = await fixture.store.entities.searchEntities({ text: '', limit: 3, order, cursor })
        all.push(...page.items.map((item) => item.slug))
        cursor = page.next
      } while (cursor)
      const expected = ['p7', 'p6', 'c5', 'p5', 'p4', 'p3', 'p2', 'p1']
      expect(all).toEqual(order === 'newest' ? expected : expected.toReversed())
    }
  })

  const searches: [search: Partial<EntitySearch>, index: string][] = [
    [{}, 'entities_by_time'],
    [{ text: 'okafor' }, 'entity_words'],
    [{ text: 'amara okaf', provider: 'harvestapi' }, 'entity_words'],
    [{ provider: 'harvestapi' }, 'entities_by_provider'],
    [{ provider: 'harvestapi', fetchedBefore: noon }, 'entities_by_provider'],
    [{ thin: true }, 'entities_thin'],
    [{ fetchedAfter: noon, order: 'oldest' }, 'entities_by_time'],
    [{ cursor: { fetchedAt: noon, entityId: 5 } }, 'entities_by_time'],
  ]
  test.each(searches)('no search reads all records: %j by %s', async (more, index) => {
    for (const kind of kinds) {
      const query = searchQuery(fixture, kind, { text: '', limit: 50, ...more }).compile()
      const { all, ownSteps } = await planOf(fixture, query)
      expect(all).toContain(index)
      expect(all).not.toMatch(/\bSCAN (entities|entity_words|aliases)\b(?! USING)|Seq Scan/)
      // Every step of a text search filters by more than the kind, which may have a million records.
      if (more.text) expect(all).not.toMatch(/\(kind=\?\)|Index Cond: \(kind = [^)]*\)$/m)
      else expect(ownSteps).not.toMatch(/TEMP B-TREE FOR ORDER BY|Sort/)
    }
  })

  test('folding is stable: a word is found by itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (name) => {
        for (const word of searchWords([name])) expect(searchWords([word.toUpperCase()])).toContain(word)
      }),
    )
  })
})

/** The query plan of a statement on a large store. */
async function planOf({ db, dialect }: TestStore, query: { sql: string; parameters: readonly unknown[] }) {
  const explain = dialect.name === 'sqlite' ? 'explain query plan ' : 'explain '
  return db.transaction().execute(async (tx) => {
    // PostgreSQL would scan and sort the small tables of a test.
    if (dialect.name === 'postgres') await sql`set local enable_seqscan = off`.execute(tx)
    if (dialect.name === 'postgres') await sql`set local enable_bitmapscan = off`.execute(tx)
    const { rows } = await tx.executeQuery<{ detail?: string; parent?: number; 'QUERY PLAN'?: string }>(
      CompiledQuery.raw(explain + query.sql, [...query.parameters]),
    )
    const all = rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n')
    const ownSteps =
      dialect.name === 'sqlite'
        ? rows.filter((row) => row.parent === 0).map((row) => row.detail)
        : [all.split('SubPlan')[0]]
    return { all, ownSteps: ownSteps.join('\n') }
  })
}
