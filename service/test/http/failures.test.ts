import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestService, startTestService, type TestAnswer, type TestService } from '../harness/test-service.ts'

const person = '/v1/people/profile'

function expectText(answer: TestAnswer, status: number, code: string): void {
  expect({ status: answer.status, body: answer.text, type: answer.headers.get('content-type') }).toEqual({
    status,
    body: code,
    type: 'text/plain; charset=utf-8',
  })
}

function expectProblem(answer: TestAnswer, status: number, code: string): void {
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.json).toMatchObject({ status, code, request_id: answer.headers.get('x-request-id') })
  expect(Object.keys(answer.json)).toEqual(
    expect.arrayContaining(['type', 'title', 'status', 'detail', 'code', 'request_id']),
  )
  expect(answer.status).toBe(status)
}

describe('a rejected key gets its code as plain text', () => {
  test('401: missing, malformed, with a wrong checksum, unknown, revoked, expired', async () => {
    const service = await openTestService()
    const revoked = await service.makeKey({ mode: 'test' })
    await service.admin('POST', `/keys/${revoked.id}/revoke`, {})
    const expired = await service.makeKey({
      mode: 'test',
      expires_at: new Date(service.clock.now() + 1_000).toISOString(),
    })
    service.clock.advance({ seconds: 1 })
    const wrongChecksum = `${service.liveKey.slice(0, -1)}${service.liveKey.endsWith('a') ? 'b' : 'a'}`

    expectText(await service.get(person), 401, 'missing_api_key')
    expectText(await service.get(person, { ApiKey: 'nonsense' }), 401, 'invalid_api_key')
    expectText(await service.get(person, { ApiKey: wrongChecksum }), 401, 'invalid_api_key')
    expectText(await service.get(person, { ApiKey: revoked.key }), 401, 'revoked_api_key')
    expectText(await service.get(person, { ApiKey: expired.key }), 401, 'expired_api_key')
  })

  test("402: the key's ceiling takes precedence over the empty environment", async () => {
    const service = await openTestService({ credits: 1 })
    const capped = await service.makeKey({ ceiling: 1 })

    expect((await service.person('first', '', { ApiKey: capped.key })).status).toBe(200)
    expectText(await service.person('second', '', { ApiKey: capped.key }), 402, 'credit_ceiling_reached')
    expectText(await service.person('second'), 402, 'out_of_credits')
  })

  test('403: suspended, billing blocked, endpoint, part, address', async () => {
    const service = await openTestService()
    const companiesOnly = await service.makeKey({ endpoints: ['companies'] })
    const noContact = await service.makeKey({ parts: ['network'] })
    const elsewhere = await service.makeKey({ networks: ['10.1.0.0/16'] })

    expectText(await service.person('ada', '', { ApiKey: companiesOnly.key }), 403, 'endpoint_not_allowed')
    expectText(
      await service.person('ada', '&include_contact_info=true', { ApiKey: noContact.key }),
      403,
      'part_not_allowed',
    )
    for (const spelling of ['True', '1', '%74rue', 'true&include_contact_info=false'])
      expectText(
        await service.person('ada', `&include_contact_info=${spelling}`, { ApiKey: noContact.key }),
        403,
        'part_not_allowed',
      )
    expectText(
      await service.person('ada', '&include%5Fcontact_info=true', { ApiKey: noContact.key }),
      403,
      'part_not_allowed',
    )
    expect((await service.person('ada', '&include_network_info=true', { ApiKey: noContact.key })).status).toBe(200)
    expectText(await service.person('ada', '', { ApiKey: elsewhere.key }), 403, 'address_not_allowed')
    await service.admin('PATCH', '/projects/acme', { billing_blocked: true })
    expectText(await service.person('ada'), 403, 'billing_blocked')
    await service.admin('PATCH', '/projects/acme', { suspended: true })
    expectText(await service.person('ada'), 403, 'project_suspended')
    await service.admin('PATCH', '/projects/acme', { suspended: false, billing_blocked: false })
    expect((await service.person('ada')).status).toBe(200)
  })

  test('429: waiting exactly Retry-After succeeds, and refused calls do not extend the window', async () => {
    const service = await openTestService()
    const { key } = await service.makeKey({ mode: 'test', rate: '2/10s' })
    const call = () => service.person('ada', '', { ApiKey: key })

    await call()
    service.clock.advance({ seconds: 4 })
    await call()
    const refused = await call()

    expectText(refused, 429, 'rate_limit_exceeded')
    expect(refused.headers.get('retry-after')).toBe('6')
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    service.clock.advance({ seconds: 5 })
    expect((await call()).status).toBe(429)
    service.clock.advance({ seconds: 1 })
    expect((await call()).status).toBe(200)
  })

  test('401s are limited per address and then become 429, but a valid or revoked key is never refused by that', async () => {
    const service = await openTestService({ env: { VITAE_UNAUTHORIZED_RATE: '3/60s' } })
    const revoked = await service.makeKey()
    await service.admin('POST', `/keys/${revoked.id}/revoke`, {})

    for (let call = 0; call < 5; call++)
      expectText(await service.person('ada', '', { ApiKey: revoked.key }), 401, 'revoked_api_key')
    for (let call = 0; call < 3; call++)
      expectText(await service.get(person, { ApiKey: 'wrong' }), 401, 'invalid_api_key')
    const refused = await service.get(person, { ApiKey: 'wrong' })

    expectText(refused, 429, 'rate_limit_exceeded')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await service.person('ada')).status).toBe(200)
    expectText(await service.person('ada', '', { ApiKey: revoked.key }), 401, 'revoked_api_key')
    service.clock.advance({ seconds: 60 })
    expectText(await service.get(person, { ApiKey: 'wrong' }), 401, 'invalid_api_key')
  })
})

describe('everything else is an RFC 9457 problem', () => {
  let service: TestService

  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  test('400 names every wrong parameter', async () => {
    const answer = await service.get(
      `${person}?include_contact_info=yes&max_age_days=-1&bypass_cache=true&bypass_cache=true`,
      { ApiKey: service.liveKey },
    )

    expectProblem(answer, 400, 'invalid_request')
    const named = (answer.json['errors'] as { parameter: string }[]).map((error) => error.parameter)
    expect(named.toSorted()).toEqual(['bypass_cache', 'include_contact_info', 'max_age_days', 'profile_id'])
  })

  test.each(['+1', '-0', '1e3', 'NaN', 'Infinity', '', ' ', '1.', '.5', '0x10', '１'])(
    'max_age_days=%j is 400',
    async (value) => {
      expectProblem(await service.person('ada', `&max_age_days=${encodeURIComponent(value)}`), 400, 'invalid_request')
    },
  )

  test.each(['0', '0.5', '7', '9999'])('max_age_days=%j is accepted', async (value) => {
    expect((await service.person('ada', `&max_age_days=${value}`)).status).toBe(200)
  })

  test('unknown parameters are ignored', async () => {
    expect((await service.person('ada', '&utm_source=x&utm_source=y')).status).toBe(200)
  })

  test('404 of an unknown record, a wrong route, and 405 with Allow for other methods and HEAD', async () => {
    const service = await openTestService({ generate: false })
    expectProblem(await service.person('nobody'), 404, 'not_found')
    expectProblem(await service.get('/v2/people'), 404, 'route_not_found')
    expectProblem(await service.get(`${person}/none`), 404, 'route_not_found')
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await service.get(`${person}?profile_id=ada`, { ApiKey: service.liveKey }, method)
      expectProblem(answer, 405, 'method_not_allowed')
      expect(answer.headers.get('allow')).toBe('GET')
    }
    const head = await service.get(`${person}?profile_id=ada`, { ApiKey: service.liveKey }, 'HEAD')
    expect(head.status).toBe(405)
    expect((await service.balance()).balance).toBe(1_000)
  })

  test('414 and 431: a long URL and large headers', async () => {
    expectProblem(await service.person('a'.repeat(9_000)), 414, 'uri_too_long')
    const large = await service.person('ada', '', { 'X-Filler': 'x'.repeat(40_000) })
    expect(large.status).toBe(431)
    expect(large.json['code']).toBe('headers_too_large')
  })

  test('an admin path without a token is 401, known or not', async () => {
    for (const path of [
      '/admin',
      '/admin/',
      '/admin/v1/keys',
      '/admin/v1/nothing',
      '/admin/openapi.json',
      '/ADMIN/v1/keys',
      '//admin/v1/keys',
    ]) {
      const answer = await service.get(path)
      expect({ path, status: answer.status }).toEqual({ path, status: 401 })
    }
    const wrong = await service.get('/admin/v1/keys', { authorization: 'Bearer wrong' })
    expectProblem(wrong, 401, 'admin_token_required')
  })
})

test('the order of checks: an invalid key never learns whether its query was well-formed', async () => {
  const service = await openTestService({ credits: 0 })
  const bad = `${person}?max_age_days=x`

  expectText(await service.get(bad, { ApiKey: 'nonsense' }), 401, 'invalid_api_key')
  const limited = await service.makeKey({ mode: 'test', rate: '1/60s', endpoints: ['people'] })
  expectText(await service.get('/v1/companies/details?x', { ApiKey: limited.key }), 403, 'endpoint_not_allowed')
  expectProblem(await service.get(bad, { ApiKey: limited.key }), 400, 'invalid_request')
  expectText(await service.get(bad, { ApiKey: limited.key }), 429, 'rate_limit_exceeded')
  expectProblem(await service.get(bad, { ApiKey: service.liveKey, 'Idempotency-Key': 'é' }), 400, 'invalid_request')
  expectText(await service.person('ada'), 402, 'out_of_credits')
})

test("every answer forbids shared caches, and every authenticated one shows the caller's limits", async () => {
  const service = await openTestService({ generate: false, people: {} })
  const answers = [
    await service.get('/healthz'),
    await service.get('/nothing'),
    await service.get(person, { ApiKey: 'wrong' }),
    await service.person('nobody'),
    await service.get(`${person}?max_age_days=x`, { ApiKey: service.liveKey }),
  ]
  for (const answer of answers) {
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.get('vary')).toBe('ApiKey, Authorization, X-Api-Key, Accept, Accept-Encoding')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  }
  for (const answer of answers.slice(3)) {
    expect(answer.headers.get('x-ratelimit-limit')).toBe('100000')
    expect(answer.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
    expect(answer.headers.get('x-ratelimit-reset')).toMatch(/^\d+$/)
    expect(answer.headers.get('x-credits-remaining')).toBe('1000')
  }
})
