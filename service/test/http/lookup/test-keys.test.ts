import { Company, Person } from '@vitae/contract'
import fc from 'fast-check'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { openTestService } from '../../harness/test-service.ts'

const slug = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,40}[a-z0-9]$/).filter((text) => !/^\d+$/.test(text))

test('any identifier gives a test key a complete, valid and repeatable record with all headers', async () => {
  const service = await openTestService()
  const { key } = await service.makeKey({ mode: 'test' })
  for (const id of fc.sample(slug, { numRuns: 1_000, seed: 7 })) {
    const parts = '&include_contact_info=true&include_network_info=true&get_verification_details=true'
    const [person, again, company] = await Promise.all([
      service.person(id, parts, { ApiKey: key }),
      service.person(id, parts, { ApiKey: key }),
      service.company(id, '', { ApiKey: key }),
    ])
    expect(again.text).toBe(person.text)
    expect([...Value.Errors(Person, person.json)]).toEqual([])
    expect([...Value.Errors(Company, company.json)]).toEqual([])
    for (const answer of [person, company]) {
      expect(answer.headers.get('x-data-source')).toBe('live')
      expect(answer.headers.get('x-data-age-seconds')).toBe('0')
      expect(answer.headers.get('x-fetched-at')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
      expect(answer.headers.get('x-ratelimit-limit')).toBe('100000')
      expect(answer.headers.get('x-credits-remaining')).toBeNull()
    }
  }
  expect(service.upstream.requests).toEqual([])
  expect(await service.balance()).toEqual({ balance: 1_000, held: 0, available: 1_000 })
})

test('the optional parts of a person are null unless they are asked for', async () => {
  const service = await openTestService()
  const { key } = await service.makeKey({ mode: 'test' })
  const plain = await service.person('sample-complete', '', { ApiKey: key })
  expect(plain.json).toMatchObject({ network_info: null, contact_info: null, verifications: null })
  const full = await service.person(
    'sample-complete',
    '&include_contact_info=true&include_network_info=true&get_verification_details=true',
    { ApiKey: key },
  )
  expect(full.json).toMatchObject({
    network_info: expect.any(Object),
    contact_info: expect.any(Object),
    verifications: expect.any(Object),
  })
  const usual = await service.person('someone', '&include_contact_info=true&include_network_info=true', { ApiKey: key })
  expect(usual.json).toMatchObject({
    network_info: null,
    contact_info: { email_address: null, phone_numbers: [], websites: [], twitter_handles: [] },
  })
})

test.each([
  ['sample-not-found', 404, '"code":"not_found"'],
  ['sample-out-of-credits', 402, 'out_of_credits'],
  ['sample-ceiling-reached', 402, 'credit_ceiling_reached'],
  ['sample-forbidden', 403, 'project_suspended'],
  ['sample-rate-limited', 429, 'rate_limit_exceeded'],
  ['sample-upstream-down', 503, '"code":"upstream_unavailable"'],
])('%s plays its situation at both endpoints', async (id, status, body) => {
  const service = await openTestService()
  const { key } = await service.makeKey({ mode: 'test' })
  for (const answer of [
    await service.person(id, '', { ApiKey: key }),
    await service.company(id, '', { ApiKey: key }),
  ]) {
    expect(answer.status).toBe(status)
    expect(answer.text).toContain(body)
    if (status === 429 || status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
})

test('sample-stored and sample-stale show what a stored and a stale answer look like', async () => {
  const service = await openTestService()
  const { key } = await service.makeKey({ mode: 'test' })
  const stored = await service.company('sample-stored', '', { ApiKey: key })
  expect(stored.headers.get('x-data-source')).toBe('store')
  expect(stored.headers.get('x-data-age-seconds')).toBe(String(3 * 86_400))
  const stale = await service.person('sample-stale', '', { ApiKey: key })
  expect(stale.headers.get('x-data-source')).toBe('stale_fallback')
  expect(Date.parse(stale.headers.get('x-fetched-at') ?? '')).toBe(service.clock.now() - 9 * 86_400_000)
})

test('a revoked test key is refused by the very next call', async () => {
  const service = await openTestService()
  const { id, key } = await service.makeKey({ mode: 'test' })
  expect((await service.person('ada', '', { ApiKey: key })).status).toBe(200)
  await service.admin('POST', `/keys/${id}/revoke`, {})
  expect((await service.person('ada', '', { ApiKey: key })).status).toBe(401)
})
