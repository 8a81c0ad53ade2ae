import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nextPlaces, readEvents } from '../../src/events/outbox/read-events.ts'
import { writeEvents } from '../../src/events/outbox/event-upkeep.ts'
import { addEnvironment } from '../credits/ledger.ts'
import { noon } from '../credits/requests.ts'
import { engines, type TestDatabase } from '../harness/engines.ts'

const [pages, limit] = [20, 10]

describe.each(engines)('what a page of the feed costs on $name', (engine) => {
  let database: TestDatabase
  let [own, other] = [0, 0]
  const changed = (environmentId: number | null) => ({
    type: 'person.changed' as const,
    at: noon,
    environmentId,
    data: { kind: 'people', changes: [] } as never,
  })
  const rare = (environmentId: number | null, type: 'credits.low' | 'provider.down') =>
    ({ type, at: noon, environmentId, data: {} as never }) as const

  beforeAll(async () => {
    database = await engine.open()
    own = await addEnvironment(database, { project: 'own', environment: 'production' }, 0)
    other = await addEnvironment(database, { project: 'other', environment: 'production' }, 0)
    for (let page = 0; page < pages; page++)
      await database.write(({ db: tx }) =>
        writeEvents(tx, database.dialect, [
          ...Array.from({ length: 10 * limit }, () => changed(other)),
          ...Array.from({ length: limit }, () => changed(own)),
          rare(null, 'provider.down'),
        ]),
      )
    await database.write(({ db: tx }) =>
      writeEvents(tx, database.dialect, [rare(own, 'credits.low'), rare(other, 'credits.low')]),
    )
    await readEvents(database, { after: 0, limit: 1, now: noon })
    await sql`analyze`.execute(database.db)
  })
  afterAll(() => database.close())

  test.each([
    ['both halves', [{ environmentId: 'own' }, { environmentId: null }]],
    [
      'a rare type',
      [
        { environmentId: 'own', type: 'credits.low' },
        { environmentId: null, type: 'credits.low' },
      ] as const,
    ],
    ['what only the service tells', [{ environmentId: null, type: 'provider.down' }] as const],
  ] as const)('%s: no more rows are read than the page may hold, wherever it begins', async (_name, named) => {
    const parts = named.map((part) => ({ ...part, environmentId: part.environmentId === null ? null : own }))
    const all = await readEvents(database, { environmentId: own, after: 0, limit: 1_000, now: noon })
    for (const after of [0, all[Math.floor(all.length / 2)]?.position ?? 0, all.at(-1)?.position ?? 0]) {
      const query = nextPlaces(database, parts, { after, limit, now: noon })
      if (database.dialect.name === 'postgres')
        expect(await rowsRead(database, query)).toBeLessThanOrEqual(parts.length * limit)
      else
        for (const step of await planOf(database, query))
          expect(step).toMatch(/^(CO-ROUTINE|COMPOUND|LEFT-MOST|UNION ALL|SCAN part|SEARCH events .*position>\?\))/)
    }
  })

  test('an environment reads its own and service-wide events in order, page by page, and nothing else', async () => {
    const seen: string[] = []
    let after = 0
    for (;;) {
      const page = await readEvents(database, { environmentId: own, after, limit, now: noon })
      if (page.length === 0) break
      expect(page.every(({ position }, index) => position > (page[index - 1]?.position ?? after))).toBe(true)
      seen.push(...page.map(({ event }) => event.type))
      after = page.at(-1)?.position ?? after
    }
    const count = (type: string) => seen.filter((each) => each === type).length
    expect([count('person.changed'), count('provider.down'), count('credits.low')]).toEqual([pages * limit, pages, 1])
  })

  test('a whole project reads the events of all its environments, filtered by types and kinds', async () => {
    const second = await addEnvironment(database, { project: 'own', environment: 'second' }, 0)
    await database.write(({ db: tx }) =>
      writeEvents(tx, database.dialect, [rare(second, 'credits.low'), changed(second)]),
    )
    const read = (more: object) => readEvents(database, { project: 'own', after: 0, limit: 1_000, now: noon, ...more })

    expect(await read({ types: ['credits.low'] })).toHaveLength(2)
    expect(await read({ types: [] })).toHaveLength(0)
    expect((await read({ kinds: ['companies'] })).map(({ event }) => event.type)).not.toContain('person.changed')
    expect(await read({ kinds: ['people'] })).toHaveLength(pages * limit + 1 + pages + 2)
  })
})

type Query = ReturnType<typeof nextPlaces>

async function planOf({ db }: TestDatabase, query: Query): Promise<string[]> {
  const { rows } = await sql<{ detail: string }>`explain query plan ${query}`.execute(db)
  return rows.map(({ detail }) => detail)
}

interface Plan {
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
  'Node Type': string
}

async function rowsRead({ db }: TestDatabase, query: Query): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`explain (analyze, format json) ${query}`.execute(db)
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  if (!plan) throw new Error('no plan')
  const count = (node: Plan): number =>
    (node.Plans ?? []).reduce((sum, each) => sum + count(each), 0) +
    (node['Node Type'].endsWith('Scan') && !node['Node Type'].startsWith('Subquery')
      ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
      : 0)
  return count(plan)
}
