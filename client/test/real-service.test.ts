import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type FailureCode, failures } from '../../contract/src/index.ts'
import { startTestService, type TestService } from '../../service/test/harness/test-service.ts'
import {
  type ClientOptions,
  failureErrors,
  type Fetch,
  VitaeAbortError,
  type VitaeError,
  VitaeNotFoundError,
  VitaeNotStoredError,
  VitaeTimeoutError,
  VitaeUpstreamUnavailableError,
} from '../src/index.ts'
import { failingCalls } from './failing-calls.ts'
import { openClient, rejection } from './test-client.ts'

let service: TestService
let slugs = 0

beforeAll(async () => {
  service = await startTestService({
    people: { nobody: null },
    env: {
      VITAE_UPSTREAM_TIMEOUT_MS: '1500',
      VITAE_UPSTREAM_TOTAL_MS: '2000',
      VITAE_BREAKER_FAILURES: '100000',
      VITAE_COOLDOWN_SECONDS: '0',
    },
    fixed: { idempotencyWaitMs: 50, openBatches: 1 },
  })
})
afterAll(() => service.close())
afterEach(async () => {
  service.upstream.latencyMs = 0
  await service.upstream.setFault(null)
})

/** A client in a new project that waits without delay, and a slug that was never requested. */
async function newClient(wish: Record<string, unknown> = {}, options: Partial<ClientOptions> = {}, credits = 10) {
  const caller = await service.newCaller(credits, wish)
  const { client } = openClient(service.url, { apiKey: caller.key, maxRetries: 0, ...options })
  return { ...caller, client, slug: `someone-${(slugs += 1)}` }
}

const provoke = failingCalls(() => service, newClient)

/**
 * A healthy service on its own disk has neither a bug nor a lost database, and a caller that hung up gets no response.
 */
const notHere: FailureCode[] = ['internal_error', 'store_unavailable', 'client_closed_request']

test.each(Object.entries(provoke))('%s of a running service is thrown as its class', async (name, make) => {
  const code = name as FailureCode
  const error = (await make()) as VitaeError

  expect(error.constructor).toBe(failureErrors[code])
  expect(error).toMatchObject({ code, status: failures[code].status, retryable: failures[code].retryable })
  // An oversized request is refused before it has an id.
  if (code !== 'headers_too_large') expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/)
  if (error.status === 429 || error.status === 409 || error.code === 'upstream_unavailable')
    expect(error.retryAfterSeconds).toBeGreaterThan(0)
  if (code === 'invalid_request') expect(error.errors).toMatchObject([{ parameter: 'profile_id' }])
})

test('the tests cover every failure of the table', () => {
  expect([...Object.keys(provoke), ...notHere].toSorted()).toEqual(Object.keys(failures).toSorted())
})

test("the callers' guide covers every failure", () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/getting-started.md'), 'utf8')

  expect(Object.keys(failures).filter((code) => !guide.includes(`\`${code}\``))).toEqual([])
})

test.each([
  ['sample-not-found', 'not_found'],
  ['sample-out-of-credits', 'out_of_credits'],
  ['sample-ceiling-reached', 'credit_ceiling_reached'],
  ['sample-forbidden', 'project_suspended'],
  ['sample-rate-limited', 'rate_limit_exceeded'],
  ['sample-upstream-down', 'upstream_unavailable'],
] as const)('with a test key %s plays %s at both endpoints', async (id, code) => {
  const { client } = await newClient({ mode: 'test' })

  for (const error of [await rejection(client.people.profile(id)), await rejection(client.companies.details(id))]) {
    expect((error as VitaeError).constructor).toBe(failureErrors[code])
    expect(error).toMatchObject({ status: failures[code].status, retryable: failures[code].retryable })
  }
})

test('an answer and the provenance of its record name the provider of every filled field', async () => {
  const { client } = await newClient({ mode: 'test' })

  const { filledFrom } = await client.people.profile('sample-filled', { includeContactInfo: true })
  const { kind, units } = await client.people.provenance('sample-filled')
  const filled = units.filter((unit) => unit.filled)

  expect(filledFrom).toMatchObject([{ provider: 'peopledatalabs', ageSeconds: 172_800 }])
  expect(filledFrom[0]?.fields).toContain('contact_info.email_address')
  expect(kind).toBe('people')
  expect(filled.map(({ unit }) => unit)).toEqual(expect.arrayContaining(filledFrom[0]?.fields ?? []))
  expect(new Set(filled.map(({ provider }) => provider))).toEqual(new Set(['peopledatalabs']))
  expect((await client.people.profile('sample-complete')).filledFrom).toEqual([])
  expect((await client.companies.provenance('sample-complete')).kind).toBe('companies')
})

/** Forwards bytes to the service and back. While `drops` returns true, it cuts the response before its first byte. */
async function openProxy(drops: () => boolean): Promise<string> {
  const { hostname, port } = new URL(service.url)
  const server = createServer((caller) => {
    const service = connect(Number(port), hostname)
    caller.on('error', () => service.destroy()).on('close', () => service.destroy())
    service.on('error', () => caller.destroy()).on('close', () => caller.destroy())
    caller.on('data', (bytes) => service.write(bytes))
    service.on('data', (bytes) => (drops() ? caller.resetAndDestroy() : caller.write(bytes)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a call with several attempts', () => {
  test('costs one charge, and is a replay if the paid answer was lost', async () => {
    const { key, balance, slug } = await newClient()
    let dropped = 0
    let isArmed = false
    const url = await openProxy(() => isArmed && dropped++ === 0)
    const failed: string[] = []
    await service.upstream.setFault(500)
    const { client } = openClient(url, {
      apiKey: key,
      timing: { random: () => 0, sleep: () => service.upstream.setFault(null).then(() => void (isArmed = true)) },
      onRetry: ({ error }) => failed.push(error.code),
    })

    const answer = await client.people.profile(slug)

    expect(failed).toEqual(['upstream_unavailable', 'connection_failed'])
    expect(answer).toMatchObject({ replayed: true, source: 'store', credits: { charged: 0, remaining: 9 } })
    expect(answer.record.public_identifier).toBe(slug)
    expect(await balance()).toBe(9)
  })

  test('is paid once, even if the connection loses every other answer', async () => {
    const calls = process.env['VITAE_TEST_LONG'] ? 200 : 20
    const { key, balance } = await newClient({}, {}, calls)
    const url = await openProxy(() => Math.random() < 0.5)
    const { client } = openClient(url, { apiKey: key, maxRetries: 60 })

    const answers = await Promise.all(
      Array.from({ length: calls }, (_, index) => client.people.profile(`lossy-${index}`)),
    )

    expect(answers.map(({ record }) => record.public_identifier)).toEqual(
      Array.from({ length: calls }, (_, index) => `lossy-${index}`),
    )
    expect(await balance()).toBe(0)
  })

  test('waits out a rate limit', async () => {
    const { key, slug } = await newClient({ rate: '1/7s' })
    const waits: number[] = []
    const sleep = async (ms: number) => {
      waits.push(ms)
      service.clock.advance({ seconds: ms / 1_000 })
    }
    const { client } = openClient(service.url, { apiKey: key, timing: { random: () => 0, sleep } })

    await client.people.profile(slug)
    const second = await client.people.profile(slug)

    expect(waits).toEqual([7_000])
    expect(second.rateLimit).toEqual({ limit: 1, remaining: 0, resetSeconds: 7 })
  })
})

describe('an abandoned call', () => {
  test('with an aborted signal throws its reason, and a retry with its key costs one charge in total', async () => {
    const { client, balance, slug } = await newClient()
    service.upstream.latencyMs = 500
    const asked = service.upstream.requests.length
    const controller = new AbortController()
    const call = rejection(client.people.profile(slug, { signal: controller.signal }))
    await vi.waitFor(() => expect(service.upstream.requests.length).toBeGreaterThan(asked), { timeout: 300_000 })
    controller.abort('changed my mind')

    const error = (await call) as VitaeError
    service.upstream.latencyMs = 0
    const again = await retried(() => client.people.profile(slug, { idempotencyKey: error.idempotencyKey }))

    expect(error).toBeInstanceOf(VitaeAbortError)
    expect(error).toMatchObject({ code: 'aborted', cause: 'changed my mind' })
    expect(again.record.public_identifier).toBe(slug)
    expect(await balance()).toBe(9)
  })

  test('with a timeout throws, and a retry with its key costs one charge in total', async () => {
    const { client, balance, slug } = await newClient()
    service.upstream.latencyMs = 800

    const error = (await rejection(client.people.profile(slug, { timeoutMs: 200 }))) as VitaeError
    service.upstream.latencyMs = 0
    const again = await retried(() => client.people.profile(slug, { idempotencyKey: error.idempotencyKey }))

    expect(error).toBeInstanceOf(VitaeTimeoutError)
    expect(again.record.public_identifier).toBe(slug)
    expect(await balance()).toBe(9)
  })
})

/** The service may still be processing the abandoned call. */
function retried<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  return vi.waitFor(call, { timeout: 300_000, interval: 100 })
}

describe('an answer', () => {
  test('may have any fraction of a day as its maximum age', async () => {
    const { client, slug } = await newClient()
    await client.people.profile(slug)
    service.clock.advance({ hours: 7 })

    expect((await client.people.profile(slug, { maxAgeDays: 8 / 24 })).source).toBe('store')
    service.clock.advance({ hours: 2 })
    expect((await client.people.profile(slug, { maxAgeDays: 8 / 24 })).source).toBe('live')
    expect((await client.people.profile(slug, { maxAgeDays: 3e16 })).source).toBe('store')
  })

  test('names the parameters that the service ignored, as does an error', async () => {
    const adding: Fetch = (url, init) => fetch(`${url}&utm_source=mail&utm_medium=a`, init)
    const { client, slug } = await newClient({}, { fetch: adding })

    expect((await client.people.profile(slug)).ignoredParameters).toEqual(['utm_source', 'utm_medium'])
    const error = (await rejection(client.people.profile('not a slug'))) as VitaeError
    expect(error).toMatchObject({ status: 400, ignoredParameters: ['utm_source', 'utm_medium'] })
  })

  test('reports where the data came from, how old it is, and what it cost', async () => {
    const { client, slug } = await newClient({ ceiling: 5, rate: '10/60s' })
    const now = service.clock.now()

    const live = await client.people.profile(slug)
    service.clock.advance({ seconds: 30 })
    const stored = await client.people.profile(slug)
    const fresh = await client.people.profile(slug, { maxAgeDays: 0 })

    expect(live).toMatchObject({
      source: 'live',
      ageSeconds: 0,
      replayed: false,
      thin: false,
      credits: { charged: 1, remaining: 9, ceilingRemaining: 4 },
      rateLimit: { limit: 10, remaining: 9, resetSeconds: 60 },
    })
    expect(live.fetchedAt.getTime()).toBe(now)
    expect(live.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(stored).toMatchObject({ source: 'store', ageSeconds: 30, credits: { charged: 1, remaining: 8 } })
    expect(stored.fetchedAt.getTime()).toBe(now)
    expect(stored.rateLimit).toEqual({ limit: 10, remaining: 8, resetSeconds: 30 })
    expect(fresh).toMatchObject({ source: 'live', ageSeconds: 0 })
    expect(stored.record).toEqual(live.record)
  })

  test('to a test key costs nothing', async () => {
    const { client, balance } = await newClient({ mode: 'test' })
    const company = await client.companies.details('unreal-bridges')

    expect(company.credits).toEqual({ charged: null, remaining: null, ceilingRemaining: null })
    expect(company.record.company_name).toEqual(expect.any(String))
    expect((await client.people.profile('sample-stale')).source).toBe('stale_fallback')
    expect((await client.people.profile('sample-stored')).ageSeconds).toBe(3 * 86_400)
    expect(await balance()).toBe(10)
  })

  test('has the requested optional parts, and no others', async () => {
    const { client } = await newClient({ mode: 'test' })

    const bare = await client.people.profile('sample-complete')
    const full = await client.people.profile('sample-complete', {
      includeContactInfo: true,
      includeNetworkInfo: true,
      getVerificationDetails: true,
    })

    expect(bare.record).toMatchObject({ contact_info: null, network_info: null, verifications: null })
    expect(full.record.contact_info?.email_address).toEqual(expect.any(String))
    expect(full.record.network_info?.followers_count).toEqual(expect.any(Number))
    expect(full.record.verifications?.is_verified).toEqual(expect.any(Boolean))
  })

  test('is stale only if the caller allows it', async () => {
    const { client, slug, balance } = await newClient()
    await client.people.profile(slug)
    service.clock.advance({ days: 8 })
    await service.upstream.setFault(500)

    const stale = await client.people.profile(slug)
    const refused = await rejection(client.people.profile(slug, { refuseStale: true }))
    const bypassed = await rejection(client.people.profile(slug, { bypassCache: true }))

    expect(stale).toMatchObject({ source: 'stale_fallback', ageSeconds: 8 * 86_400 })
    expect(refused).toBeInstanceOf(VitaeUpstreamUnavailableError)
    expect(bypassed).toBeInstanceOf(VitaeUpstreamUnavailableError)
    expect(await balance()).toBe(8)
  })

  test('comes only from the store if the caller wants that', async () => {
    const { client, slug } = await newClient()

    const nothing = await rejection(client.people.profile(slug, { onlyStored: true }))
    await client.people.profile(slug)
    const asked = service.upstream.requests.length
    const stored = await client.people.profile(slug, { onlyStored: true })

    expect(nothing).toBeInstanceOf(VitaeNotStoredError)
    expect(stored.source).toBe('store')
    expect(service.upstream.requests).toHaveLength(asked)
  })

  test('after an erasure is not found, even for a retry', async () => {
    const { client, slug } = await newClient()
    const { record } = await client.people.profile(slug, { idempotencyKey: 'before-erasure' })
    await service.admin('POST', `/records/people/${record.member_urn}/erase`, { reason: 'asked to' })

    expect(await rejection(client.people.profile(slug, { idempotencyKey: 'before-erasure' }))).toBeInstanceOf(
      VitaeNotFoundError,
    )
  })
})

describe('events', () => {
  test('are read in order, and a new stream continues after the cursor of the last one', async () => {
    const { client, slug } = await newClient({ ceiling: 2 })
    const types = async (after?: string | null) => {
      const stream = client.events(after ? { after } : {})
      const seen: string[] = []
      for await (const event of stream) seen.push(event.type)
      return { seen, cursor: stream.cursor }
    }
    await client.people.profile(slug)
    const none = await types()
    await client.people.profile(slug)
    const first = await types(none.cursor)

    expect([none.seen, first.seen]).toEqual([[], ['ceiling.near', 'ceiling.reached']])
    expect((await types(first.cursor)).seen).toEqual([])
  })

  test('are followed until the signal ends the stream', async () => {
    const { key } = await service.makeKey({ mode: 'test' })
    const stop = new AbortController()
    const { client, waits } = openClient(service.url, { apiKey: key })
    const seen: string[] = []
    for await (const event of client.events({
      follow: true,
      types: ['credits.low', 'person.promoted'],
      signal: stop.signal,
    })) {
      seen.push(event.type)
      if (seen.length === 2) stop.abort()
    }
    expect([seen, waits]).toEqual([['person.promoted', 'credits.low'], []])
  })
})
