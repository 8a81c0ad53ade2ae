import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onPostgres } from '../harness/engines.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { ages, cellOf, rules, table, type Cell } from './freshness-table.ts'
import { expectProblem, expectRecord } from './provenance.ts'

type Outcome = 'ok' | '404' | 'outage'

interface Case {
  slug: string
  query: string
  cell: Cell
  asksForNow: boolean
  copyAgeMs: number | null
  notFoundAgeMs: number | null
}

const hour = 3_600_000
const outcomes: readonly Outcome[] = ['ok', '404', 'outage']
let service: TestService

beforeAll(async () => {
  service = await startTestService({ credits: 10_000, env: { VITAE_BREAKER_FAILURES: '1000000' } })
})
afterAll(() => service.close())

function casesFor(name: string): Case[] {
  const all = table.flatMap((row, rowNumber) =>
    ages.flatMap((age, column) =>
      [false, true].map((bypass) => ({
        slug: `row-${rowNumber}-${column}-${bypass}-${name}`,
        query: `${age === null ? '' : `&max_age_days=${age}`}${bypass ? '&bypass_cache=true' : ''}`,
        cell: cellOf(row, column, bypass),
        asksForNow: bypass,
        ...row.state,
      })),
    ),
  )
  // Only the ages depend on the store, so PostgreSQL gets a third of the cells, some of each row and column.
  return all.filter((_, index) => !onPostgres || index % 3 === 0)
}

function asked(slug: string): string[] {
  return service.upstream.requests.map(({ path }) => path).filter((path) => path.includes(`profile_id=${slug}&`))
}

/** Brings the service into the state of every row, oldest first, and ends at the time that the table describes. */
async function play(cases: readonly Case[]): Promise<void> {
  const moments = [...cases].flatMap(({ slug, copyAgeMs, notFoundAgeMs }) => {
    if (copyAgeMs !== null) return [{ ago: copyAgeMs, slug, fault: null }]
    // A person who existed two hours ago, until a bypassing call got a 404.
    if (notFoundAgeMs !== null)
      return [
        { ago: 2 * hour, slug, fault: null },
        { ago: notFoundAgeMs, slug, fault: 404 as const },
      ]
    return []
  })
  const times = [...new Set(moments.map(({ ago }) => ago))].toSorted((a, b) => b - a)
  const end = service.clock.now() + 40 * 24 * hour
  for (const ago of times) {
    service.clock.set(new Date(end - ago).toISOString())
    for (const fault of [null, 404] as const) {
      await service.upstream.setFault(fault)
      const now = moments.filter((moment) => moment.ago === ago && moment.fault === fault)
      const answers = await Promise.all(now.map(({ slug }) => service.person(slug, '&bypass_cache=true')))
      for (const { status } of answers) expect(status).toBe(fault ?? 200)
    }
  }
  service.clock.set(new Date(end).toISOString())
  service.upstream.requests.length = 0
}

describe.each(outcomes)('the decision table, with this upstream: %s', (outcome) => {
  test('every cell is answered, dated and billed as the table says', async () => {
    const cases = casesFor(outcome)
    await play(cases)
    await service.upstream.setFault({ ok: null, '404': 404 as const, outage: 500 as const }[outcome])
    const before = (await service.balance()).balance

    const answers = await Promise.all(cases.map(({ slug, query }) => service.person(slug, query)))

    const now = service.clock.now()
    let billed = 0
    for (const [index, each] of cases.entries()) {
      const answer = answers[index]
      if (!answer) throw new Error('an answer is missing')
      const ageSeconds = (each.copyAgeMs ?? 0) / 1_000
      const isAsked = each.cell === 'F' || each.cell === 'N'
      if (each.cell === 'S') expectRecord(answer, now, { source: 'store', ageSeconds })
      else if (each.cell === 'M' || outcome === '404') expectProblem(answer, 404, 'not_found')
      else if (outcome === 'ok') expectRecord(answer, now, { source: 'live', ageSeconds: 0 })
      else if (each.cell === 'F') expectRecord(answer, now, { source: 'stale_fallback', ageSeconds })
      else expectProblem(answer, 503, 'upstream_unavailable')
      if (answer.status === 200) {
        billed++
        expect(answer.headers.get('x-credits-charged')).toBe('1')
      }
      const calls = asked(each.slug)
      expect({ ...each, isAsked: calls.length > 0 }).toEqual({ ...each, isAsked })
      for (const path of calls) expect(path.includes('bypass_cache=true&max_age_days=0')).toBe(each.asksForNow)
    }
    expect(await service.balance()).toMatchObject({ balance: before - billed, held: 0 })
  })
})

test('an upstream 404 is never undone by an outage, even after it is forgotten; only by a fetch', async () => {
  const cases = casesFor('denied').filter(({ cell }) => cell === 'F' || cell === 'N')
  await play(cases)
  await service.upstream.setFault(404)
  for (const answer of await Promise.all(cases.map(({ slug, query }) => service.person(slug, query))))
    expectProblem(answer, 404, 'not_found')
  await service.upstream.setFault(500)
  service.upstream.requests.length = 0

  for (const answer of await Promise.all(cases.map(({ slug }) => service.person(slug))))
    expectProblem(answer, 404, 'not_found')
  expect(service.upstream.requests).toEqual([])

  service.clock.advance({ minutes: rules.notFoundMs / 60_000 })
  for (const answer of await Promise.all(cases.map(({ slug }) => service.person(slug))))
    expectProblem(answer, 503, 'upstream_unavailable')

  await service.upstream.setFault(null)
  for (const answer of await Promise.all(cases.map(({ slug }) => service.person(slug))))
    expectRecord(answer, service.clock.now(), { source: 'live', ageSeconds: 0 })
  for (const answer of await Promise.all(cases.map(({ slug }) => service.person(slug))))
    expectRecord(answer, service.clock.now(), { source: 'store', ageSeconds: 0 })
})
