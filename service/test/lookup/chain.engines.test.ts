import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { archiveRows } from './archive-rows.ts'
import { expectProblem, expectRecord } from './provenance.ts'

const live = { source: 'live', ageSeconds: 0 } as const
let second: FakeProvider
let service: TestService

async function startChain(env: Record<string, string> = {}): Promise<TestService> {
  const chain = {
    VITAE_UPSTREAM: 'mirror,harvestapi',
    VITAE_CHAIN_ON_NOT_FOUND: 'false',
    VITAE_BREAKER_FAILURES: '1000000',
    VITAE_COOLDOWN_SECONDS: '0',
  }
  const harvest = { VITAE_HARVESTAPI_URL: second.url, VITAE_HARVESTAPI_KEY: second.key }
  return startTestService({ env: { ...chain, ...harvest, ...env } })
}

beforeAll(async () => {
  second = await startFakeProvider({ provider: 'harvestapi' })
  service = await startChain()
})
afterAll(async () => {
  await service.close()
  await second.close()
})
beforeEach(async () => {
  await service.upstream.setFault(null)
  await second.setFault(null)
  second.requests.length = 0
})

/** The archive of a person: provider and outcome of every answer, oldest first. */
async function exchanges(of: TestService, slug: string): Promise<string[]> {
  const rows = await archiveRows(of, `slug:${slug}`)
  return rows.map(({ provider, outcome }) => `${provider} ${outcome}`)
}

async function providerOf(of: TestService, slug: string): Promise<string | undefined> {
  const kind = 'people' as const
  const entity = await of.service.store.entities.showEntity({
    kind,
    ref: { identifier: { kind, type: 'slug', value: slug } },
  })
  return entity?.current?.provider
}

describe('a chain of two providers', () => {
  test('asks only the first while it answers', async () => {
    expectRecord(await service.person('from-first'), service.clock.now(), live)
    expect(second.requests).toEqual([])
    expect(await providerOf(service, 'from-first')).toBe('mirror')
  })

  test('asks the second in an outage, and archive and record name it', async () => {
    await service.upstream.setFault('malformed')
    expectRecord(await service.person('from-second'), service.clock.now(), live)
    expect(await providerOf(service, 'from-second')).toBe('harvestapi')
    expect(await exchanges(service, 'from-second')).toEqual(['mirror invalid', 'harvestapi found'])
  })

  test('does not use a stored copy while the second can answer, and does if both fail', async () => {
    await service.person('both')
    service.clock.advance({ days: 8 })
    await service.upstream.setFault(429)
    expectRecord(await service.person('both'), service.clock.now(), live)
    service.clock.advance({ days: 8 })
    await second.setFault('malformed')
    const stale = await service.person('both')
    expectRecord(stale, service.clock.now(), { source: 'stale_fallback', ageSeconds: 8 * 86_400 })
    expectProblem(await service.person('both', '&bypass_cache=true'), 502, 'upstream_invalid')
  })

  test('treats a 404 of the first as an answer: the second is not asked', async () => {
    service.upstream.people.set('denied', null)
    expectProblem(await service.person('denied'), 404, 'not_found')
    expect(second.requests).toEqual([])
  })

  test('withdraws and remembers nothing for a 404 of the second while the first is out', async () => {
    await service.person('kept')
    service.clock.advance({ days: 8 })
    await service.upstream.setFault('malformed')
    await second.setFault(404)
    const stale = await service.person('kept')
    expectRecord(stale, service.clock.now(), { source: 'stale_fallback', ageSeconds: 8 * 86_400 })
    expectProblem(await service.person('unknown-to-second'), 404, 'not_found')
    await service.upstream.setFault(null)
    expectRecord(await service.person('unknown-to-second'), service.clock.now(), live)
  })
})

describe('with VITAE_CHAIN_ON_NOT_FOUND=true', () => {
  let asking: TestService

  beforeAll(async () => {
    asking = await startChain({ VITAE_CHAIN_ON_NOT_FOUND: 'true' })
  })
  afterAll(() => asking.close())

  test('the second is asked if the first knows nobody, and every answer is archived', async () => {
    asking.upstream.people.set('second-knows', null)
    expectRecord(await asking.person('second-knows'), asking.clock.now(), live)
    expect(await exchanges(asking, 'second-knows')).toEqual(['mirror not_found', 'harvestapi found'])
  })

  test('it is a 404 only if all know nobody', async () => {
    asking.upstream.people.set('missing-everywhere', null)
    expectProblem(await asking.person('missing-everywhere'), 404, 'not_found')
    expect((await exchanges(asking, 'missing-everywhere')).toSorted()).toEqual([
      'harvestapi not_found',
      'mirror not_found',
    ])
  })

  test('a 404 of one and an outage of the other is an outage', async () => {
    asking.upstream.people.set('half-known', null)
    await second.setFault('malformed')
    expectProblem(await asking.person('half-known'), 502, 'upstream_invalid')
  })
})

test('the bundled directory answers first, and a mirror knows the rest', async () => {
  const both = await startTestService({ env: { VITAE_UPSTREAM: 'directory,mirror', VITAE_CHAIN_ON_NOT_FOUND: 'true' } })
  expectRecord(await both.person('amara-okafor'), both.clock.now(), live)
  expect(both.upstream.requests).toEqual([])
  expectRecord(await both.person('only-in-the-mirror'), both.clock.now(), live)
  expect(await providerOf(both, 'amara-okafor')).toBe('directory')
  expect(await providerOf(both, 'only-in-the-mirror')).toBe('mirror')
  await both.close()
})
