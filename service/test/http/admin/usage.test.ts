import { expect, test } from 'vitest'
import { openTestService, type TestService } from '../../harness/test-service.ts'

interface Calls {
  calls: {
    request_id: string
    status: number
    code: string | null
    source: string | null
    project: string
    entity_key: string | null
    at: string
  }[]
  next_cursor: string | null
}
interface Usage {
  rows: Record<string, string | number | null>[]
}

/** Two live answers, one from the store, one 404, and one sample. */
async function makeCalls(service: TestService): Promise<void> {
  await service.person('ada')
  await service.person('ada')
  await service.company('tidewater')
  service.upstream.people.set('nobody', null)
  await service.person('nobody')
  const { key } = await service.makeKey({ mode: 'test' })
  await service.person('someone', '', { ApiKey: key })
}

test('every answered call is listed at once, newest first, by any of its facts', async () => {
  const service = await openTestService()
  await makeCalls(service)

  const all = await service.admin<Calls>('GET', '/calls')
  const misses = await service.admin<Calls>('GET', '/calls?status=404&kind=people')
  const stored = await service.admin<Calls>('GET', '/calls?source=store&project=acme&environment=production')
  const others = await service.admin<Calls>('GET', '/calls?project=other')

  expect(all.calls).toHaveLength(5)
  expect(misses.calls.map((call) => call.code)).toEqual(['not_found'])
  expect(stored.calls).toHaveLength(1)
  expect(stored.calls[0]?.entity_key).toMatch(/^urn:/)
  expect(others.calls).toEqual([])
})

test('pages of calls neither repeat nor lose a call, even within one millisecond', async () => {
  const service = await openTestService()
  await Promise.all(Array.from({ length: 7 }, (_, index) => service.person(`person-${index}`)))

  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: Calls = await service.admin('GET', `/calls?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
    seen.push(...page.calls.map((call) => call.request_id))
    cursor = page.next_cursor
  } while (cursor)

  expect(seen).toHaveLength(7)
  expect(new Set(seen).size).toBe(7)
})

test('usage adds up to the charges, by every group and period', async () => {
  const service = await openTestService({ credits: 100 })
  await makeCalls(service)
  service.clock.advance({ days: 1 })
  await service.person('ada')

  for (const per of ['hour', 'day', 'month']) {
    const { rows } = await service.admin<Usage>(
      'GET',
      `/usage?per=${per}&since=7d&group=project,environment,key,endpoint,source,status`,
    )
    const credits = rows.reduce((sum, row) => sum + Number(row['credits']), 0)
    const calls = rows.reduce((sum, row) => sum + Number(row['calls']), 0)
    expect(credits).toBe(100 - (await service.balance()).balance)
    expect(calls).toBe(5)
  }
  const { rows } = await service.admin<Usage>('GET', '/usage?group=source')
  expect(rows.map(({ period, source, calls }) => [period, source, calls])).toEqual([
    ['2026-11-14T00:00:00.000Z', 'live', 2],
    ['2026-11-14T00:00:00.000Z', 'store', 1],
    ['2026-11-14T00:00:00.000Z', null, 1],
    ['2026-11-15T00:00:00.000Z', 'store', 1],
  ])
})

test('a report is split into bounded pages that add up to the whole, and is one piece as CSV', async () => {
  const service = await openTestService()
  for (const tag of ['a', 'b', 'c', 'd', 'e']) {
    await service.person('ada', '', { ApiKey: service.liveKey, 'X-Spend-Tag': tag })
    await service.person('missing-person', '', { ApiKey: service.liveKey, 'X-Spend-Tag': tag })
    service.clock.advance({ hours: 12 })
  }
  type Page = Usage & { as_of: string; next_cursor: string | null }
  const report = '/usage?group=tag,status,day&per=day'
  const whole = await service.admin<Page>('GET', report)

  const pages: Page[] = [await service.admin<Page>('GET', `${report}&limit=3`)]
  // Later calls are on no page.
  service.clock.advance({ minutes: 1 })
  await service.person('ada', '', { ApiKey: service.liveKey, 'X-Spend-Tag': 'f' })
  for (let next = pages[0]?.next_cursor; next; next = pages.at(-1)?.next_cursor)
    pages.push(await service.admin<Page>('GET', `${report}&limit=3&cursor=${next}`))
  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  const csv = await service.get(`/admin/v1${report}&limit=3&format=csv&as_of=${whole.as_of}`, headers)
  const wrong = await service.get(`/admin/v1${report}&cursor=x`, headers)

  expect(whole).toMatchObject({ next_cursor: null, rows: { length: 10 } })
  expect(pages.map(({ rows }) => rows.length)).toEqual([3, 3, 3, 1])
  expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows)
  expect(csv.text.trim().split('\r\n').length).toBe(11)
  expect(wrong.status).toBe(400)
})

test('usage as CSV has a header line and neutralises formulas', async () => {
  const service = await openTestService()
  await service.person('ada')

  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  const csv = await service.get('/admin/v1/usage?group=environment&format=csv', headers)

  expect(csv.headers.get('content-type')).toContain('text/csv')
  expect(csv.text.split('\r\n')[0]).toBe('period,project,environment,calls,credits,p50_ms,p95_ms')
  expect(csv.text.split('\r\n')[1]).toMatch(/^2026-11-14T00:00:00\.000Z,acme,production,1,1,/)
})

test('the overview shows what was saved and how long the credits last', async () => {
  const service = await openTestService({ credits: 100 })
  await makeCalls(service)

  const overview = await service.admin<{
    totals: Record<string, number>
    series: { live: number; store: number; client_errors: number }[]
    environments: { available: number; burnt: number; days_left: number | null }[]
    providers: { name: string; in_chain: boolean; recent: { calls: number } }[]
  }>('GET', '/overview?range=day')

  expect(overview.totals).toMatchObject({ calls: 4, live: 2, store: 1, stale: 0, failures: 1, upstream_saved: 1 })
  expect(overview.series.reduce((sum, point) => sum + point.live, 0)).toBe(2)
  expect(overview.environments).toMatchObject([{ available: 97, burnt: 3, days_left: expect.closeTo((97 / 3) * 14) }])
  expect(overview.providers[0]).toMatchObject({ name: 'mirror', in_chain: true, recent: { calls: 3 } })
})

test('a token of one project sees only its calls, usage and overview', async () => {
  const service = await openTestService()
  await service.person('ada')
  await service.makeKey({ project: 'other' })
  const { token } = await service.admin<{ token: string }>('POST', '/tokens', {
    label: 'x',
    role: 'viewer',
    project: 'other',
  })
  const headers = { authorization: `Bearer ${token}` }

  const calls = await service.get('/admin/v1/calls?project=acme', headers)
  const usage = await service.get('/admin/v1/usage?project=acme&group=project', headers)
  const overview = await service.get('/admin/v1/overview', headers)

  expect(calls.json).toEqual({ calls: [], next_cursor: null })
  expect(usage.json).toMatchObject({ rows: [] })
  expect(overview.json).toMatchObject({ totals: { calls: 0 }, environments: [{ project: 'other' }], providers: [] })
})

test('an invalid parameter is refused by its name', async () => {
  const service = await openTestService({ upstream: 'directory' })
  const wrong = [
    ['/calls?cursor=nonsense', 'cursor'],
    ['/calls?since=yesterday', 'since'],
    ['/usage?group=weather', 'group'],
    ['/usage?until=2026-13-01', 'until'],
    ['/usage?zone=Mars/Base', 'zone'],
  ] as const

  for (const [path, parameter] of wrong) {
    const answer = await service.get(`/admin/v1${path}`, {
      authorization: `Bearer ${service.service.admin.ownerToken}`,
    })

    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ code: 'invalid_request', errors: [{ parameter }] })
  }
})

test('usage as of a moment stays the same while calls continue, by any combination of groups', async () => {
  const service = await openTestService()
  await service.person('ada', '', { ApiKey: service.liveKey, 'X-Spend-Tag': 'spring' })
  service.clock.advance({ days: 1 })
  await service.person('ada')
  const groups = 'project,environment,key,tag,endpoint,source,day'
  type Dated = Usage & { as_of: string }

  const now = await service.admin<Dated>('GET', `/usage?group=${groups}&per=month`)
  const path = `/usage?group=${groups}&per=month&as_of=${now.as_of}`
  service.clock.advance({ minutes: 1 })
  await service.person('ada')
  const later = await service.admin<Dated>('GET', path)
  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  const csv = await service.get(`/admin/v1${path}&format=csv`, headers)
  const ahead = await service.get('/admin/v1/usage?as_of=2999-01-01', headers)

  expect(now.rows).toHaveLength(2)
  expect(now.rows).toMatchObject([
    { tag: 'spring', source: 'live', kind: 'people', credits: 1 },
    { tag: null, source: 'store', kind: 'people', credits: 1 },
  ])
  expect(Date.parse(`${now.rows[1]?.['day']}`) - Date.parse(`${now.rows[0]?.['day']}`)).toBe(86_400_000)
  expect(later).toEqual(now)
  expect(csv.text).toMatch(/^period,day,project,environment,key_id,tag,kind,source,calls,credits,p50_ms,p95_ms\r\n/)
  expect(csv.text.trim().split('\r\n')).toHaveLength(3)
  expect(ahead.status).toBe(400)
})

test('the CSV of an empty period has the same columns as a full one', async () => {
  const service = await openTestService()
  await makeCalls(service)
  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  const columns = async (query: string) =>
    (await service.get(`/admin/v1/usage?format=csv&${query}`, headers)).text.split('\r\n')[0]
  const empty = 'since=2020-01-01&until=2020-02-01'

  for (const query of ['group=project,key,tag', 'group=endpoint,day', 'group=key&top=3&compare=true'])
    expect(await columns(`${query}&${empty}`)).toBe(await columns(query))
})

test('the credit history is filtered by kind and by time, and a receipt explains its price', async () => {
  const service = await openTestService()
  const { headers } = await service.person('ada')
  const at = 'project=acme&environment=production'
  const history = (query: string) =>
    service.admin<{ entries: { kind: string; balance: number | null }[] }>('GET', `/credits/history?${at}&${query}`)
  const receipt = await service.admin<{ price: string; price_lines: { line: string; credits: number }[] }>(
    'GET',
    `/receipts/${headers.get('x-request-id')}`,
  )

  expect((await history('kind=capture')).entries).toMatchObject([{ kind: 'capture', balance: null }])
  expect((await history('since=2020-01-01&until=2020-02-01')).entries).toEqual([])
  expect((await history('since=2020-01-01')).entries.length).toBe((await history('')).entries.length)
  expect(receipt.price_lines).toEqual([{ line: expect.stringMatching(/^line \d+: people/), credits: 1 }])
})

test('days of a zone begin at its midnight, also where clocks change, in usage and overview', async () => {
  const service = await openTestService()
  // Clocks in Berlin go back at 01:00 UTC, so this day begins at 22:00 UTC and ends at 23:00 UTC.
  for (const [index, at] of ['30T21:59', '30T22:00', '31T22:59', '31T23:00'].entries()) {
    service.clock.set(`2027-10-${at}Z`)
    await service.person(`person-${index}`)
  }
  service.clock.set('2027-11-02T12:00Z')
  const span = 'since=2027-10-28T22:00:00Z&until=2027-11-01T23:00:00Z&zone=Europe/Berlin'
  const days = [
    { period: '2027-10-29T22:00:00.000Z', calls: 1 },
    { period: '2027-10-30T22:00:00.000Z', calls: 2 },
    { period: '2027-10-31T23:00:00.000Z', calls: 1 },
  ]

  for (const query of ['per=day', 'per=auto', 'per=day&group=project&top=5', 'per=day&limit=1000']) {
    const { rows } = await service.admin<Usage>('GET', `/usage?${query}&${span}`)
    expect(rows, query).toMatchObject(days)
  }
  const { series } = await service.admin<{ series: { at: string; live: number }[] }>('GET', `/overview?${span}`)
  expect(series.map(({ at }) => at)).toEqual([
    '2027-10-28T22:00:00.000Z',
    '2027-10-29T22:00:00.000Z',
    '2027-10-30T22:00:00.000Z',
    '2027-10-31T23:00:00.000Z',
  ])
  expect(series.map(({ live }) => live)).toEqual([0, 1, 2, 1])
})
