import { expect, test } from 'vitest'
import { examplePerson } from '../../../../contract/src/operations/example-records.ts'
import { openTestService, type TestService } from '../../harness/test-service.ts'

interface View {
  key: string
  name: string
  record: Record<string, unknown>
  aliases: { type: string; value: string }[]
  versions: number
  fetches: { id: number }[]
  supplied: Record<string, string>
  age_seconds: number
}

const owner = (service: TestService) => ({ authorization: `Bearer ${service.service.admin.ownerToken}` })
const ada = { ...examplePerson, public_identifier: 'ada-example', headline: 'Engineer' }

test('a record is found by slug, URL and key, with its names and provenance', async () => {
  const service = await openTestService({ people: { 'ada-example': ada } })
  await service.person('ada-example')
  service.clock.advance({ hours: 1 })

  const bySlug = await service.admin<View>('GET', '/records/people/ada-example')
  const byUrl = await service.admin<View>(
    'GET',
    `/records/people/${encodeURIComponent('https://www.linkedin.com/in/Ada-Example/details/experience/?trk=a-rather-long-query-that-browsers-add')}`,
  )
  const byKey = await service.admin<View>('GET', `/records/people/${encodeURIComponent(bySlug.key)}`)
  const found = await service.admin<{ records: { key: string; name: string; versions: number }[] }>(
    'GET',
    `/records?text=${encodeURIComponent(bySlug.name.slice(0, 3))}`,
  )

  expect(bySlug).toMatchObject({
    key: ada.member_urn,
    versions: 1,
    age_seconds: 3_600,
    record: { headline: 'Engineer' },
  })
  expect(byUrl.key).toBe(bySlug.key)
  expect(byKey.key).toBe(bySlug.key)
  expect(found.records).toMatchObject([{ key: bySlug.key, name: bySlug.name, versions: 1 }])
  expect(bySlug.supplied['headline']).toBe('supplied')
})

test('history and diff show what changed, and a refresh fetches it without a charge', async () => {
  const service = await openTestService({ people: { 'ada-example': ada }, credits: 10 })
  await service.person('ada-example')
  const before = await service.balance()
  service.clock.advance({ days: 1 })
  service.upstream.people.set('ada-example', { ...ada, headline: 'Chief engineer' })

  const refreshed = await service.admin<View>('POST', '/records/people/ada-example/refresh')
  const history = await service.admin<{ versions: { id: number; current: boolean }[] }>(
    'GET',
    '/records/people/ada-example/history',
  )
  const diff = await service.admin<{ changes: object[] }>('GET', '/records/people/ada-example/diff')
  const served = await service.person('ada-example')

  expect(refreshed.record['headline']).toBe('Chief engineer')
  expect(history.versions.map((version) => version.current)).toEqual([true, false])
  expect(diff.changes).toEqual([{ kind: 'headline', path: 'headline', before: 'Engineer', after: 'Chief engineer' }])
  expect(served.json).toMatchObject({ headline: 'Chief engineer' })
  expect(await service.balance()).toEqual({ balance: before.balance - 1, held: 0, available: before.available - 1 })
})

test('the raw payload is returned byte for byte, and every view is audited without naming anybody', async () => {
  const service = await openTestService({ people: { 'ada-example': ada } })
  await service.person('ada-example')
  const { fetches, key } = await service.admin<View>('GET', '/records/people/ada-example')

  const raw = await service.get(`/admin/v1/records/fetches/${fetches[0]?.id}/raw`, owner(service))
  const audit = await service.get('/admin/v1/audit', owner(service))

  expect(JSON.parse(raw.text)).toMatchObject({ headline: 'Engineer' })
  const looks = (audit.json['entries'] as object[]).slice(0, 2)
  expect(looks).toMatchObject([{ action: 'payload.read' }, { action: 'record.show', subject: 'people/1' }])
  // The subject of a view is resolved when the log is read; the stored entry names nobody.
  const kept = JSON.stringify(audit.json, (name, value: unknown) => (name === 'record' ? undefined : value))
  expect(kept).not.toContain('ada-example')
  expect(kept).not.toContain(key)
})

test('an import accepts valid lines, reports invalid ones by number, and repeats without a change', async () => {
  const service = await openTestService()
  const lines = [
    JSON.stringify(ada),
    '{"broken":',
    '{"unknown":true}',
    '',
    JSON.stringify({ company_id: '77', company_name: 'Example Works' }),
  ]

  const first = await service.admin('POST', '/records/import', { fetched_at: '1d', lines })
  const again = await service.admin('POST', '/records/import', { fetched_at: '1d', lines })
  const served = await service.company('77')

  expect(first).toMatchObject({ saved: 2, suppressed: 0, unchanged: 0, errors: [{ line: 2 }, { line: 3 }] })
  expect(again).toMatchObject({ saved: 0, unchanged: 2 })
  expect(served.headers.get('x-data-source')).toBe('store')
})

test('an erased record disappears from every endpoint at once, and stays suppressed', async () => {
  const service = await openTestService({ people: { 'ada-example': ada } })
  await service.person('ada-example')
  const calls = service.upstream.requests.length

  const plan = await service.admin<{ entities: { key: string }[]; calls: number }>(
    'GET',
    '/records/people/ada-example/erasure',
  )
  const report = await service.admin<{ erased: Record<string, number>; suppressed_hashes: number }>(
    'POST',
    '/records/people/ada-example/erase',
    { reason: 'request 17' },
  )
  const served = await service.person('ada-example')
  const shown = await service.get('/admin/v1/records/people/ada-example', owner(service))
  const imported = await service.admin('POST', '/records/import', {
    fetched_at: '1d',
    lines: [JSON.stringify({ ...ada, public_identifier: 'new-slug' })],
  })
  const check = await service.admin('POST', '/suppressions/check', {
    kind: 'people',
    ids: ['ada-example', 'someone-else'],
  })
  const feed = await service.admin<{ erasures: object[] }>('GET', '/erasures?since=2026-01-01')

  expect(plan).toMatchObject({ entities: [{ key: ada.member_urn }], calls: 1 })
  expect(report.erased).toMatchObject({ entities: 1, versions: 1, fetches: 1, calls: 1 })
  expect(report.suppressed_hashes).toBeGreaterThan(1)
  expect(served.status).toBe(404)
  expect(service.upstream.requests.length).toBe(calls)
  expect(shown.status).toBe(404)
  expect(imported).toMatchObject({ saved: 0, suppressed: 1 })
  expect(check).toEqual({ suppressed: ['ada-example'] })
  expect(feed.erasures.length).toBe(report.suppressed_hashes)
})

test('the progress of an erasure is streamed line by line, and its last line is the result', async () => {
  const service = await openTestService({ people: { 'ada-example': ada } })
  await service.person('ada-example')

  const headers = { ...owner(service), accept: 'application/x-ndjson', 'content-type': 'application/json' }
  const answer = await fetch(`${service.url}/admin/v1/records/people/ada-example/erase`, {
    method: 'POST',
    headers,
    body: '{"reason":"r"}',
  })

  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ result: { erased: { entities: 1 } } })
  expect(lines[0]).toMatchObject({ progress: { step: 'calls' } })
})

test('a suppression under one name covers all known names of the record, and can be removed', async () => {
  const service = await openTestService({ people: { 'ada-example': ada } })
  await service.person('ada-example')

  await service.admin('POST', '/suppressions', { kind: 'people', ids: [ada.member_urn] })
  const out = await service.person('ada-example')
  await service.admin('POST', '/suppressions/remove', { kind: 'people', ids: [ada.member_urn] })
  const back = await service.person('ada-example')

  expect(out.status).toBe(404)
  expect(back.status).toBe(200)
})

test('a number in a provider’s opt-out feed is that provider’s own id, never a platform company', async () => {
  const service = await openTestService({ companies: { '77': { company_id: '77', company_name: 'Example Works' } } })

  const result = await service.admin('POST', '/suppressions/import', {
    kind: 'companies',
    origin: 'coresignal',
    ids: ['77'],
  })
  const served = await service.company('77')

  expect(result).toMatchObject({ added: 1, errors: [] })
  expect(served.status).toBe(200)
})

test('a subject’s export shows the stored data and its recipients, also as a page without scripts', async () => {
  const service = await openTestService({
    people: { 'ada-example': { ...ada, headline: '<script>alert(1)</script>' } },
  })
  await service.person('ada-example')

  const json = await service.admin<{ received_by: object[]; versions: object[]; sources: { payload: object }[] }>(
    'GET',
    '/records/people/ada-example/export',
  )
  const page = await service.get('/admin/v1/records/people/ada-example/export?format=html', owner(service))

  expect(json.received_by).toMatchObject([{ project: 'acme', environment: 'production', calls: 1 }])
  expect(json.versions).toHaveLength(1)
  expect(json.sources[0]?.payload).toMatchObject({ public_identifier: 'ada-example' })
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(page.text).not.toContain('<script>')
})

test('a reprojection continues where it stopped, and changes nothing without need', async () => {
  const service = await openTestService()
  for (const name of ['one', 'two', 'three']) await service.person(name)
  const calls = service.upstream.requests.length

  const first = await service.admin('POST', '/records/reproject', { limit: 2 })
  const second = await service.admin('POST', '/records/reproject', { limit: 2 })
  const again = await service.admin('POST', '/records/reproject', { limit: 10 })

  expect(first).toMatchObject({ done: false, seen: 2, changed: 0, failed: 0, total_estimate: 3, resumed: false })
  expect(second).toMatchObject({ done: true, seen: 1, next_cursor: null, resumed: true })
  expect(again).toMatchObject({ done: true, seen: 3, resumed: false })
  expect(service.upstream.requests.length).toBe(calls)
})

test('a dry run shows source, age and cost, checks the named key, and spends nothing', async () => {
  const service = await openTestService({ credits: 1, env: { VITAE_PRICE_PEOPLE: '1' } })
  const { id } = await service.makeKey({ ceiling: 0 })

  const missing = await service.admin('GET', '/lookup/people?id=ada&dry_run=true')
  await service.person('ada')
  service.clock.advance({ hours: 2 })
  const stored = await service.admin('GET', '/lookup/people?id=ada&dry_run=true')
  const capped = await service.admin('GET', `/lookup/people?id=ada&dry_run=true&key_id=${id}`)
  const withKey = await service.get('/admin/v1/lookup/people?id=ada&dry_run=true', {
    ...owner(service),
    ApiKey: service.liveKey,
  })

  // The provider's own price is unknown here.
  const known = { cost: 1, max_cost: 1, provider_cost_at_most: null }
  expect(missing).toEqual({ ...known, source: 'live', age_seconds: 0, would_exceed: false })
  expect(stored).toEqual({ ...known, source: 'store', age_seconds: 7_200, would_exceed: false })
  expect(capped).toEqual({ ...known, source: 'store', age_seconds: 7_200, would_exceed: true })
  expect(withKey.json).toEqual({ ...known, source: 'store', age_seconds: 7_200, would_exceed: true })
  expect(await service.balance()).toMatchObject({ balance: 0 })
})

test('an operator’s lookup returns the record with the requested parts and bills nobody', async () => {
  const service = await openTestService({ credits: 5 })

  const answer = await service.get('/admin/v1/lookup/people?id=ada&include_contact_info=true', owner(service))

  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-data-source')).toBe('live')
  expect(answer.json['contact_info']).not.toBeNull()
  expect(answer.json['network_info']).toBeNull()
  expect(await service.balance()).toMatchObject({ balance: 5 })
})

test('retention is planned before it runs, and a run keeps the ledger', async () => {
  const service = await openTestService({ env: { VITAE_RAW_DAYS: '1', VITAE_CALL_LOG_DAYS: '1' } })
  await service.person('ada')
  service.clock.advance({ days: 2 })

  const plan = await service.admin<{ would_remove: object }>('GET', '/retention/plan')
  const run = await service.admin<{ removed: object }>('POST', '/retention/run')

  expect(plan).toMatchObject({ rules: { raw_days: 1, history_days: null }, would_remove: { payloads: 1, calls: 1 } })
  expect(run.removed).toEqual(plan.would_remove)
  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
})
