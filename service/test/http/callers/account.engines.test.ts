import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../harness/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    env: { VITAE_PRICE_PEOPLE: '2' },
    fixed: { priceLines: [{ thin: true, credits: 0 }] },
    generate: true,
  })
})
afterAll(() => service.close())

const account = (ApiKey: string) => service.get('/v1/account', { ApiKey })
const preflight = (ApiKey: string, search: string, headers: Record<string, string> = {}, kind = 'people/profile') =>
  service.get(`/v1/${kind}/preflight?${search}`, { ApiKey, ...headers })

describe('GET /v1/account', () => {
  test('answers free requests at a limited rate, however many connections there are', async () => {
    const { key } = await service.newCaller(10, { rate: '100000/60s' })
    const began = performance.now()
    const answers = await Promise.all(Array.from({ length: 140 }, () => account(key)))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    // A hundred are answered at once. It may take longer, but never less.
    expect(performance.now() - began).toBeGreaterThan(39 * 5)
  })

  test("shows the key's permissions, the remaining credits and their renewal, and the prices", async () => {
    const { key, keyId, project } = await service.newCaller(10, {
      label: 'nightly',
      ceiling: 8,
      daily_ceiling: 5,
      endpoints: ['people'],
      parts: ['network'],
      networks: ['127.0.0.0/8', '::1'],
      expires_at: '2027-01-01T00:00:00.000Z',
      rate: '7/60s',
    })
    await service.admin('POST', '/credits/budgets', { project, environment: 'production', monthly: 20 })
    await service.person('ada', '', { ApiKey: key })
    const { status, json, headers } = await account(key)

    expect(status).toBe(200)
    expect(json).toEqual({
      project,
      environment: 'production',
      mode: 'live',
      key: {
        id: keyId,
        label: 'nightly',
        expires_at: '2027-01-01T00:00:00.000Z',
        revoked_at: null,
        endpoints: ['people'],
        parts: ['network'],
        networks: ['127.0.0.0/8', '::1'],
      },
      credits: { available: 8, held: 0 },
      ceilings: {
        daily: { limit: 5, spent: 2, remaining: 3, renews_at: '2026-11-15T00:00:00.000Z' },
        monthly: { limit: 8, spent: 2, remaining: 6, renews_at: '2026-12-01T00:00:00.000Z' },
      },
      budgets: { monthly: { limit: 20, spent: 2, remaining: 18, renews_at: '2026-12-01T00:00:00.000Z' } },
      prices: expect.objectContaining({
        people: 2,
        companies: 1,
        stale: null,
        thin: 0,
        bypass: null,
        repeat_free_days: 0,
      }),
      freshness: { default_days: 7, cap_days: 7, stale_max_days: 30 },
      rate_limit: { limit: 7, window_seconds: 60, remaining: 5, reset_seconds: 60 },
    })
    expect(headers.get('x-credits-remaining')).toBe('8')
    expect(headers.get('x-credits-ceiling-remaining')).toBe('3')
    expect(headers.get('x-ratelimit-remaining')).toBe('5')
  })

  test('shows a test key its permissions, and nothing of the ledger', async () => {
    const { key, project } = await service.newCaller(0, { mode: 'test' })
    const { json, headers } = await account(key)

    expect(json).toMatchObject({
      project,
      mode: 'test',
      credits: null,
      key: { parts: ['network', 'verifications', 'contact'] },
    })
    expect(headers.get('x-credits-remaining')).toBeNull()
  })

  test('refuses like a lookup: no key, an unknown key, too many calls; blocked billing does not close it', async () => {
    const { key, project } = await service.newCaller(0, { rate: '2/60s' })
    await service.admin('PATCH', `/projects/${project}`, { billing_blocked: true })

    expect((await service.get('/v1/account')).text).toBe('missing_api_key')
    expect((await account(`vt_live_${'x'.repeat(38)}`)).text).toBe('invalid_api_key')
    const seen = [await account(key), await account(key), await account(key)]
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(seen[2]?.headers.get('x-credits-remaining')).toBe('0')
  })

  test('shows a rate with a window of 31 days, set on creation or by a change', async () => {
    const made = await service.newCaller(0, { rate: '1/31d' })
    const changed = await service.newCaller(0)
    await service.admin('PATCH', `/keys/${changed.keyId}`, { rate: '1/31d' })

    for (const { key, keyId } of [made, changed]) {
      const [first, second] = [await account(key), await account(key)]
      expect([first.status, second.status]).toEqual([200, 429])
      expect(first.headers.get('x-ratelimit-reset')).toBe(`${31 * 86_400}`)
      expect(await service.admin('GET', `/keys/${keyId}`)).toMatchObject({ rate: '1/744h' })
    }
  })
})

describe('preflight', () => {
  test('shows source, age, price and whether a provider is called, and spends nothing', async () => {
    const { key, balance } = await service.newCaller(10)
    const before = await preflight(key, 'profile_id=preflight-ada')
    await service.person('preflight-ada', '', { ApiKey: key })
    service.clock.advance({ hours: 1 })
    const asked = service.upstream.requests.length
    const stored = await preflight(key, 'profile_id=preflight-ada')
    const fresh = await preflight(key, 'profile_id=preflight-ada&max_age_days=0')
    const company = await preflight(key, 'company_id=acme', {}, 'companies/details')

    expect(before.json).toEqual({
      source: 'live',
      age_seconds: 0,
      price: 2,
      max_price: 2,
      refused: null,
      asks_provider: true,
    })
    expect(stored.json).toEqual({
      source: 'store',
      age_seconds: 3_600,
      price: 2,
      max_price: 2,
      refused: null,
      asks_provider: false,
    })
    expect(fresh.json).toEqual({
      source: 'live',
      age_seconds: 0,
      price: 2,
      max_price: 2,
      refused: null,
      asks_provider: true,
    })
    expect(company.json).toMatchObject({ source: 'live', price: 1 })
    expect(service.upstream.requests.length).toBe(asked)
    expect(await balance()).toBe(8)
    expect(stored.headers.get('x-credits-remaining')).toBe('8')
  })

  test('names the refusal of the call, and a free retry', async () => {
    const { key, project } = await service.newCaller(2)
    await service.person('ada', '', { ApiKey: key, 'Idempotency-Key': 'once' })
    const poor = await preflight(key, 'profile_id=ada')
    const retry = await preflight(key, 'profile_id=ada', { 'Idempotency-Key': 'once' })
    const other = await preflight(key, 'profile_id=grace', { 'Idempotency-Key': 'once' })
    const stored = await preflight(key, 'profile_id=nobody-asked', { 'Cache-Control': 'only-if-cached' })
    await service.grant(5, 'production', project)
    const notStored = await preflight(key, 'profile_id=nobody-asked', { 'Cache-Control': 'only-if-cached' })

    expect(poor.json).toMatchObject({ source: 'store', price: 2, refused: 'out_of_credits', asks_provider: false })
    expect(retry.json).toMatchObject({ source: 'store', price: 0, refused: null, asks_provider: false })
    expect(other.json).toMatchObject({ refused: 'idempotency_key_reused' })
    expect(stored.json).toMatchObject({ source: null, refused: 'out_of_credits' })
    expect(notStored.json).toEqual({
      source: null,
      age_seconds: null,
      price: 0,
      max_price: 0,
      refused: 'not_stored',
      asks_provider: false,
    })
  })

  test('a suppressed identifier is answered like one that was never requested', async () => {
    const { key } = await service.newCaller(10)
    await service.person('to-be-erased', '', { ApiKey: key })
    await service.admin('POST', '/records/people/to-be-erased/erase', { reason: 'asked for it' })
    const suppressed = await preflight(key, 'profile_id=to-be-erased')
    const unknown = await preflight(key, 'profile_id=never-asked-for')

    expect(suppressed.json).toEqual(unknown.json)
    expect(unknown.json).toMatchObject({ source: 'live', refused: null })

    await service.person('to-be-erased', '', { ApiKey: key })
    await service.person('missing-person', '', { ApiKey: key })
    const suppressedAgain = await preflight(key, 'profile_id=to-be-erased')
    const missed = await preflight(key, 'profile_id=missing-person')

    expect(suppressedAgain.json).toEqual(missed.json)
    expect(missed.json).toMatchObject({ source: null, refused: 'not_found' })
  })

  test('refuses what the lookup refuses: permissions before the query, and unknown parameters are named', async () => {
    const { key } = await service.newCaller(1, { parts: [], endpoints: ['people'] })
    const part = await preflight(key, 'profile_id=ada&include_contact_info=true')
    const endpoint = await preflight(key, 'company_id=acme', {}, 'companies/details')
    const empty = await preflight(key, 'profil_id=ada')

    expect([part.status, part.text]).toEqual([403, 'part_not_allowed'])
    expect([endpoint.status, endpoint.text]).toEqual([403, 'endpoint_not_allowed'])
    expect(empty.json).toMatchObject({ status: 400, errors: [{ parameter: 'profile_id', detail: 'is required' }] })
    expect(empty.headers.get('x-ignored-parameters')).toBe('profil_id')
  })

  test('a test key is answered from the samples', async () => {
    const { key } = await service.newCaller(0, { mode: 'test' })
    const [stored, stale, poor] = await Promise.all(
      ['sample-stored', 'sample-stale', 'sample-out-of-credits'].map((id) => preflight(key, `profile_id=${id}`)),
    )

    expect(stored?.json).toEqual({
      source: 'store',
      age_seconds: 259_200,
      price: 0,
      max_price: 0,
      refused: null,
      asks_provider: false,
    })
    expect(stale?.json).toMatchObject({ source: 'stale_fallback', price: 0 })
    expect(poor?.json).toMatchObject({ source: null, refused: 'out_of_credits' })
  })
})
