import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { expectProblem, expectRecord } from './provenance.ts'

let service: TestService
let number = 0
let slug = ''

beforeAll(async () => {
  const env = {
    VITAE_MAX_AGE_CAP_DAYS: '0.5',
    VITAE_MAX_AGE_DEFAULT_DAYS: '0.25',
    VITAE_STALE_MAX_DAYS: '1.5',
    VITAE_NOT_FOUND_MINUTES: '2.5',
    VITAE_COOLDOWN_SECONDS: '45',
  }
  service = await startTestService({ env })
})
afterAll(() => service.close())
beforeEach(async () => {
  slug = `someone-${(number += 1)}`
  await service.upstream.setFault(null)
  service.upstream.requests.length = 0
})

const callsUpstream = () => service.upstream.requests.filter(({ path }) => path.includes(`profile_id=${slug}&`)).length
const live = { source: 'live', ageSeconds: 0 } as const
const store = (hours: number) => ({ source: 'store', ageSeconds: hours * 3_600 }) as const
const stale = (hours: number) => ({ source: 'stale_fallback', ageSeconds: hours * 3_600 }) as const

async function ask(query = '', headers: Record<string, string> = {}) {
  const answer = await service.person(slug, query, headers)
  return { answer, now: service.clock.now() }
}

describe('the limits are configurable, with fractions of a day', () => {
  test('without max_age_days the default decides', async () => {
    await ask()
    service.clock.advance({ hours: 6 })
    const within = await ask()
    service.clock.advance({ seconds: 1 })
    const beyond = await ask()

    expectRecord(within.answer, within.now, store(6))
    expectRecord(beyond.answer, beyond.now, live)
  })

  test('a caller may ask for older copies than the default, up to the cap', async () => {
    await ask()
    service.clock.advance({ hours: 12 })
    const within = await ask('&max_age_days=9999')
    service.clock.advance({ seconds: 1 })
    const beyond = await ask('&max_age_days=9999')

    expectRecord(within.answer, within.now, store(12))
    expectRecord(beyond.answer, beyond.now, live)
  })

  test('a copy is served for a failing upstream until VITAE_STALE_MAX_DAYS', async () => {
    await ask()
    await service.upstream.setFault('malformed')
    service.clock.advance({ hours: 36 })
    const within = await ask()
    service.clock.advance({ minutes: 1 })
    const beyond = await ask()

    expectRecord(within.answer, within.now, stale(36))
    expectProblem(beyond.answer, 502, 'upstream_invalid')
  })

  test('a 404 is remembered for VITAE_NOT_FOUND_MINUTES, and max_age_days=0 and bypass_cache ignore it', async () => {
    slug = `missing-${number}`
    expectProblem((await ask()).answer, 404, 'not_found')
    service.clock.advance({ seconds: 149 })
    expectProblem((await ask()).answer, 404, 'not_found')
    expect(callsUpstream()).toBe(1)

    expectProblem((await ask('&max_age_days=0')).answer, 404, 'not_found')
    expectProblem((await ask('&bypass_cache=true')).answer, 404, 'not_found')
    expect(callsUpstream()).toBe(3)

    service.clock.advance({ seconds: 149 })
    expectProblem((await ask()).answer, 404, 'not_found')
    expect(callsUpstream()).toBe(3)
    service.clock.advance({ seconds: 1 })
    expectProblem((await ask()).answer, 404, 'not_found')
    expect(callsUpstream()).toBe(4)
  })
})

describe('a failing upstream has a cool-down', () => {
  test('while a stale copy is served it is not called again, until VITAE_COOLDOWN_SECONDS have passed', async () => {
    await ask()
    service.clock.advance({ hours: 7 })
    await service.upstream.setFault('malformed')
    const first = await ask()
    await service.upstream.setFault(null)
    service.clock.advance({ seconds: 44 })
    const cooling = await ask()
    const before = callsUpstream()
    service.clock.advance({ seconds: 1 })
    const after = await ask()

    expectRecord(first.answer, first.now, stale(7))
    expectRecord(cooling.answer, cooling.now, { source: 'stale_fallback', ageSeconds: 7 * 3_600 + 44 })
    expect(before).toBe(2)
    expectRecord(after.answer, after.now, live)
  })

  test('bypass_cache and stale-if-error=0 ignore the cool-down, and a good answer ends it', async () => {
    await ask()
    service.clock.advance({ hours: 7 })
    await service.upstream.setFault('malformed')
    await ask()
    expectProblem((await ask('&bypass_cache=true')).answer, 502, 'upstream_invalid')
    expectProblem((await ask('', { 'Cache-Control': 'stale-if-error=0' })).answer, 502, 'upstream_invalid')
    await service.upstream.setFault(null)
    const good = await ask('&bypass_cache=true')
    const next = await ask('&max_age_days=0')

    expectRecord(good.answer, good.now, live)
    expectRecord(next.answer, next.now, live)
  })

  test('a record without a copy has no cool-down: every call fetches', async () => {
    await service.upstream.setFault('malformed')
    await ask()
    await ask()
    expect(callsUpstream()).toBe(2)
  })
})

describe('what a caller may forbid', () => {
  test('only-if-cached: a fitting copy is served, everything else is 504 not_stored, and upstream is never called', async () => {
    const only = { 'Cache-Control': 'max-stale=3, only-if-cached' }
    expectProblem((await ask('', only)).answer, 504, 'not_stored')
    await ask()
    const stored = await ask('', only)
    service.clock.advance({ hours: 7 })

    expectRecord(stored.answer, stored.now, store(0))
    expectProblem((await ask('', only)).answer, 504, 'not_stored')
    expectProblem((await ask('&max_age_days=0', only)).answer, 504, 'not_stored')
    expectProblem((await ask('&bypass_cache=true', only)).answer, 504, 'not_stored')
    expect(callsUpstream()).toBe(1)
  })

  test('stale-if-error=0: the failure instead of a stale copy', async () => {
    await ask()
    service.clock.advance({ hours: 7 })
    await service.upstream.setFault('malformed')
    const before = (await service.balance()).balance

    expectProblem((await ask('', { 'Cache-Control': 'Stale-If-Error=0' })).answer, 502, 'upstream_invalid')
    expect((await service.balance()).balance).toBe(before)
    const allowed = await ask('', { 'Cache-Control': 'stale-if-error=60' })
    expectRecord(allowed.answer, allowed.now, stale(7))
  })
})

test('the mirror is asked for the bare name, every optional part, and the maximum age', async () => {
  await service.person(`https://www.linkedin.com/in/${slug}/?utm=1`)
  await service.person(slug, '&max_age_days=0.125&include_contact_info=true')
  service.clock.advance({ hours: 4 })
  await service.person(slug, '&max_age_days=0.125')
  await service.person(slug, '&max_age_days=0')
  await service.person(slug, '&bypass_cache=true')
  await service.company(`company-${number}00`)
  await service.company(`${number}00`)

  const parts = 'include_network_info=true&include_contact_info=true&get_verification_details=true'
  expect(service.upstream.requests.map(({ path }) => path)).toEqual([
    `/v1/people/profile?profile_id=${slug}&${parts}&max_age_days=0.25`,
    `/v1/people/profile?profile_id=${slug}&${parts}&max_age_days=0.125`,
    `/v1/people/profile?profile_id=${slug}&${parts}&max_age_days=0`,
    `/v1/people/profile?profile_id=${slug}&${parts}&bypass_cache=true&max_age_days=0`,
    `/v1/companies/details?company_id=company-${number}00&max_age_days=0.25`,
  ])
  for (const { headers } of service.upstream.requests) expect(headers['apikey']).toBe(service.upstream.key)
})
