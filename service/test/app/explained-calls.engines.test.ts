import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestAnswer, type TestService } from '../harness/test-service.ts'

type Line = Record<string, unknown>

let second: FakeProvider
let service: TestService
const lines: Line[] = []

beforeAll(async () => {
  second = await startFakeProvider({ provider: 'harvestapi' })
  const env = {
    VITAE_UPSTREAM: 'mirror,harvestapi',
    // A port without a listener.
    VITAE_MIRROR_URL: 'http://127.0.0.1:1',
    VITAE_HARVESTAPI_URL: second.url,
    VITAE_HARVESTAPI_KEY: second.key,
    VITAE_BREAKER_FAILURES: '1000000',
    VITAE_COOLDOWN_SECONDS: '60',
  }
  service = await startTestService({ env, onLogLine: (line) => lines.push(line) })
})
afterAll(async () => {
  await service.close()
  await second.close()
})
beforeEach(async () => {
  await second.setFault(null)
  service.clock.advance({ minutes: 2 })
  lines.length = 0
})

const requestId = (answer: TestAnswer) => answer.headers.get('x-request-id') ?? ''
const show = (answer: TestAnswer) => service.admin('GET', `/calls/${requestId(answer)}`)

test("a failed call is explained: the request, each provider's outcome and the reason to ask it, credits and times", async () => {
  await second.setFault(500)

  const failed = await service.person('ghost-example')

  expect(failed.status).toBe(503)
  const explained = await show(failed)
  expect(explained).toMatchObject({
    request_id: requestId(failed),
    project: 'acme',
    environment: 'production',
    kind: 'people',
    identifier: 'ghost-example',
    identifier_type: 'slug',
    status: 503,
    code: 'upstream_unavailable',
    source: null,
    freshness: { decision: 'fetch', reason: expect.stringContaining('nothing is stored'), copy_age_seconds: null },
    attempts: [
      { provider: 'mirror', outcome: 'unavailable', status: null, cause: 'connection refused' },
      { provider: 'harvestapi', outcome: 'unavailable', status: 500, cause: 'HTTP 500' },
    ],
    settlement: { outcome: 'released', held: 1, charged: 0 },
  })
  for (const attempt of explained['attempts'] as Line[]) expect(attempt['duration_ms']).toBeGreaterThanOrEqual(0)
  const times = explained['timings_ms'] as Line
  for (const step of ['authorize', 'recall', 'hold', 'fetch', 'save', 'release', 'total'])
    expect([step, typeof times[step]]).toEqual([step, 'number'])
  expect(times['capture']).toBeNull()
})

test('the log line of a failed call is a warning with provider and cause, and no line names the person', async () => {
  await second.setFault(500)

  const failed = await service.person('ghost-in-the-log')

  const [call] = lines.filter((line) => line['msg'] === 'call')
  expect(call).toMatchObject({
    level: 40,
    requestId: requestId(failed),
    status: 503,
    provider: 'mirror, harvestapi',
    cause: 'connection refused; HTTP 500',
  })
  expect(JSON.stringify(lines)).not.toContain('ghost')
})

test('a failing first provider is logged once a minute while the second answers, with a request id, not per call', async () => {
  // Pending failures of other tests are logged together with this one.
  await service.person('covered-zero')
  service.clock.advance({ minutes: 1 })
  lines.length = 0
  const answers: TestAnswer[] = []
  for (const name of ['one', 'two', 'three']) answers.push(await service.person(`covered-${name}`))
  const told = () => lines.filter((line) => line['provider'] === 'mirror' && line['msg'] !== 'call')
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(told()).toMatchObject([
    { level: 40, cause: 'connection refused', failed: 1, requestId: requestId(answers[0]!) },
  ])

  service.clock.advance({ minutes: 1 })
  await service.person('covered-four')

  expect(told()).toMatchObject([{ failed: 1 }, { failed: 3 }])
})

test('a provider that rejects our key is logged as an error, once a minute', async () => {
  await second.setFault(401)
  await service.person('rejected-one')
  const last = await service.person('rejected-two')

  const errors = lines.filter((line) => line['level'] === 50)
  expect(errors).toMatchObject([{ provider: 'harvestapi', status: 401, cause: 'HTTP 401' }])
  expect((await show(last))['attempts']).toMatchObject([{}, { outcome: 'rejected', cause: 'HTTP 401' }])
})

test('a plain store answer is explained without its own row', async () => {
  const fetched = await service.person('plain-example')
  const hit = await service.person('plain-example')

  expect(await show(fetched)).toMatchObject({
    identifier: 'plain-example',
    attempts: [{ provider: 'mirror' }, { provider: 'harvestapi', outcome: 'found', status: 200, cause: null }],
    settlement: { outcome: 'captured', held: 1, charged: 1 },
  })
  expect(await show(hit)).toMatchObject({
    identifier: 'plain-example',
    freshness: { decision: 'serve store' },
    attempts: [],
    settlement: { outcome: 'charged', charged: 1 },
  })
  const { store } = service.service
  expect(await store.records.callDetails({ requestId: requestId(hit), entityId: null })).toEqual({
    identifier: null,
    explanation: null,
  })
})

test('a stale answer, a cool-down answer and an only-stored answer state their reason', async () => {
  await service.person('aging-example')
  service.clock.advance({ days: 8 })
  await second.setFault(500)
  const stale = await service.person('aging-example')
  const cooling = await service.person('aging-example')
  const stored = await service.person('aging-example', '', { 'Cache-Control': 'only-if-cached, stale-if-error=0' })
  await second.setFault(null)

  const reason = (decision: string, words: string) => ({
    freshness: { decision, reason: expect.stringContaining(words) },
  })
  expect(await show(stale)).toMatchObject({
    ...reason('fetch', 'the stored copy is 8 days old, and 7 days are allowed; if the fetch fails'),
    source: 'stale_fallback',
    attempts: [{ cause: 'connection refused' }, { cause: 'HTTP 500' }],
  })
  expect(await show(cooling)).toMatchObject(reason('serve stale_fallback', 'failed for this record a moment ago'))
  expect(await show(stored)).toMatchObject({ status: 504, ...reason('fail', 'only-if-cached') })
})

test('calls that share a fetch name the call that made it, and a call without credits states that a copy existed', async () => {
  const together = await Promise.all(['a', 'b', 'c'].map(() => service.person('storm-example')))
  const shown = await Promise.all(together.map(show))
  const leader = shown.find((call) => call['fetched_by'] === null)
  for (const call of shown.filter((one) => one !== leader && one['source'] === 'live')) {
    expect(call).toMatchObject({ fetched_by: leader?.['request_id'], attempts: leader?.['attempts'] as Line[] })
  }

  const { key } = await service.makeKey({ project: 'penniless' })
  const refused = await service.person('storm-example', '', { ApiKey: key })
  expect(await show(refused)).toMatchObject({
    status: 402,
    identifier: 'storm-example',
    freshness: { decision: 'serve store' },
    settlement: { outcome: 'none', charged: 0 },
  })
})

test('after an erasure the call is still explained without the identifier; other projects never see it', async () => {
  const answered = await service.person('leaving-example')
  await service.admin('POST', '/records/people/leaving-example/erase', { reason: 'asked to' })
  const again = await service.person('leaving-example')

  for (const call of [await show(answered), await show(again)]) {
    expect(call).toMatchObject({ identifier: null, identifier_type: null, entity_key: null })
    expect(JSON.stringify(call)).not.toContain('leaving')
  }
  await service.makeKey({ project: 'elsewhere' })
  const { token } = await service.admin<{ token: string }>('POST', '/tokens', { role: 'viewer', project: 'elsewhere' })
  const path = `/admin/v1/calls/${requestId(answered)}`
  expect((await service.get(path, { authorization: `Bearer ${token}` })).status).toBe(404)
})

test('every log line about a call carries its request id', async () => {
  await second.setFault(401)
  const answer = await service.person('lines-example')

  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) expect(line).toMatchObject({ requestId: requestId(answer) })
})

test('a 402 names the limit, the amount spent and when it renews', async () => {
  const { key } = await service.makeKey({ ceiling: 0 })
  const refused = await service.person('anybody-example', '', { ApiKey: key })

  expect(refused.status).toBe(402)
  const { reason, is_explained: isExplained } = await show(refused)
  expect(isExplained).toBe(true)
  expect(reason).toMatch(
    /^The key's monthly ceiling is reached: 0 of 0 credits are spent or held, and this call could cost 1\. It renews on \d{4}-\d{2}-01 00:00 UTC\.$/,
  )
})

test('a 400 stores the parameter and the broken rule, never the sent value', async () => {
  const canary = 'adacanary'
  const parameters = ['profile_id', 'max_age_days', 'bypass_cache', 'fields', 'require', 'expect.country_code']
  for (const parameter of parameters) {
    const bad = parameter === 'profile_id' ? `https://${canary}.example/x` : canary
    const id = parameter === 'profile_id' ? '' : 'profile_id=ada-example&'
    const refused = await service.get(`/v1/people/profile?${id}${parameter}=${encodeURIComponent(bad)}`, {
      ApiKey: service.liveKey,
    })
    expect([parameter, refused.status]).toEqual([parameter, 400])
    const explained = await show(refused)
    expect(explained['reason']).toMatch(new RegExp(`^${parameter} (must|has|is) `))
    expect(explained['suppressed']).toBe(false)
    expect(JSON.stringify(explained)).not.toContain(canary)
  }
})

test('a call without a record lists the providers asked, and their outcomes', async () => {
  await second.setFault(404)
  const missed = await service.person('nobody-example')

  expect((await show(missed))['reason']).toMatch(/mirror failed: connection refused; harvestapi did not have it/)
})

test('the options of a call are stored without values that may name a person', async () => {
  await second.setFault(500)
  const query = '&max_age_days=2&require=headline&expect.last_name=Canary'
  const asked = await service.person('opt-example', query, { 'Idempotency-Key': 'canary-of-options' })

  const explained = await show(asked)
  expect(explained['options']).toEqual(['max_age_days=2', 'require=headline', 'expect.last_name', 'Idempotency-Key'])
  expect(JSON.stringify(explained)).not.toMatch(/canary/i)
})

test('many failing calls create an attention item with their code', async () => {
  await second.setFault(500)
  await Promise.all(Array.from({ length: 12 }, (_, call) => service.person(`spike-${call}`)))

  const failures = async () => {
    const { attention } = await service.admin<{ attention: { kind: string }[] }>('GET', '/overview')
    return attention.filter(({ kind }) => kind === 'failures')
  }
  expect(await failures()).toMatchObject([{ level: 'danger', code: 'upstream_unavailable' }])
  service.clock.advance({ minutes: 61 })
  expect(await failures()).toEqual([])
})
