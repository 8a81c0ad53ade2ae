import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contractPerson } from '../../fake-provider/contract-person.ts'
import { startTestService, type TestAnswer, type TestService } from '../harness/test-service.ts'
import { malformedJson } from '../corpora/corpora.ts'
import { onPostgres } from '../harness/engines.ts'
import { archiveRows } from './archive-rows.ts'
import { expectProblem, expectRecord } from './provenance.ts'
import { goodPerson, nameIn, ScriptedUpstream, sendJson } from '../harness/scripted-provider.ts'

interface Fault {
  name: string
  ends: [status: number, code: string]
  /** The expected archive entries afterwards, in order; null if no answer came. */
  archived: (string | null)[]
  play: (response: ServerResponse, request: IncomingMessage) => void
}

const invalid: Fault['ends'] = [502, 'upstream_invalid']
const unavailable: Fault['ends'] = [503, 'upstream_unavailable']
const timeout: Fault['ends'] = [504, 'upstream_timeout']
const body = (text: string, type = 'application/json') => ({
  archived: [text],
  play: (response: ServerResponse) => void response.writeHead(200, { 'content-type': type }).end(text),
})
const status = (code: number, text: string, times = 1) => ({
  archived: Array<string>(times).fill(text),
  play: (response: ServerResponse) => void response.writeHead(code).end(text),
})
const record = (fields: object) => body(JSON.stringify(fields))

const faults: Fault[] = [
  { name: 'reset', ends: unavailable, archived: [null], play: (response) => response.socket?.resetAndDestroy() },
  { name: 'closed', ends: unavailable, archived: [null], play: (response) => response.socket?.end() },
  {
    name: 'truncated',
    ends: unavailable,
    archived: [null],
    play: (response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
        .write('{"member_urn":', () => response.destroy()),
  },
  { name: 'hang', ends: timeout, archived: [null], play: () => {} },
  {
    name: 'drip',
    ends: timeout,
    archived: [null],
    play: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    },
  },
  { name: 'empty', ends: invalid, ...body('') },
  { name: 'garbage', ends: invalid, ...body('<<<%$ 0x') },
  { name: 'half-a-record', ends: invalid, ...body('{"member_urn":"urn:li:member:7","first_name":"A') },
  { name: 'wrong-type', ends: invalid, ...body(JSON.stringify(contractPerson('wrong-type')), 'text/plain') },
  { name: 'web-page', ends: invalid, ...body('<html>Sign in</html>', 'text/html') },
  { name: 'a-list', ends: invalid, ...body('[]') },
  { name: 'nobody', ends: invalid, ...record({}) },
  { name: 'nameless', ends: invalid, ...record({ headline: 'Cartographer', skills: ['Tides'] }) },
  {
    name: 'two-megabytes',
    ends: invalid,
    archived: [null],
    play: (response) =>
      sendJson(response, JSON.stringify({ ...contractPerson('two-megabytes'), summary: 'x'.repeat(2_097_152) })),
  },
  {
    name: 'redirect',
    ends: invalid,
    archived: [''],
    play: (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
  },
  { name: 'no-such-route', ends: invalid, ...status(404, '<h1>Not Found</h1>') },
  { name: 'status-500', ends: unavailable, ...status(500, 'oops', 3) },
  { name: 'status-429', ends: unavailable, ...status(429, 'rate_limit_exceeded') },
  { name: 'status-401', ends: unavailable, ...status(401, 'invalid_api_key') },
  { name: 'status-402', ends: unavailable, ...status(402, 'out_of_credits') },
  { name: 'status-403', ends: unavailable, ...status(403, 'billing_blocked') },
]

// Parsing a body does not depend on the store, so some of the bodies are enough, and a few on PostgreSQL.
const step = process.env['VITAE_TEST_LONG'] ? 1 : onPostgres ? 12 : 4
const malformed = new Map([...malformedJson()].filter((_, index) => index % step === 0))

const upstream = new ScriptedUpstream()
let service: TestService

beforeAll(async () => {
  await upstream.start()
  const env = { ...upstream.env, VITAE_UPSTREAM_TIMEOUT_MS: '5000', VITAE_BREAKER_FAILURES: '1000000' }
  service = await startTestService({ credits: 10_000, env })
})
afterAll(async () => {
  await service.close()
  await upstream.close()
})

interface Trial {
  stored: TestAnswer
  unknown: TestAnswer
  bypassing: TestAnswer
}

/** Stores a copy of `with-*`, advances eight days, and plays each script to three concurrent callers. */
async function tryAll(scripts: ReadonlyMap<string, Fault['play']>): Promise<Map<string, Trial>> {
  const names = [...scripts.keys()]
  upstream.script = goodPerson
  await inTurns(names, (name) => service.person(`with-${name}`))
  service.clock.advance({ days: 8 })
  upstream.script = (request, response) =>
    scripts.get(nameIn(request).replace(/^(with|without)-/, ''))?.(response, request)
  return new Map(await inTurns(names, async (name) => [name, await tryOne(name)] as const))
}

async function tryOne(name: string): Promise<Trial> {
  const [stored, unknown] = await Promise.all([service.person(`with-${name}`), service.person(`without-${name}`)])
  const bypassing = await service.person(`with-${name}`, '&bypass_cache=true')
  return { stored, unknown, bypassing }
}

/** Many at once, but few enough for a slow machine to stay within the store's limits. */
async function inTurns<T>(names: readonly string[], work: (name: string) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let start = 0; start < names.length; start += 32)
    results.push(...(await Promise.all(names.slice(start, start + 32).map(work))))
  return results
}

function expectOutage({ stored, unknown, bypassing }: Trial, ends: Fault['ends']): void {
  expectRecord(stored, service.clock.now(), { source: 'stale_fallback', ageSeconds: 8 * 86_400 })
  expect(stored.headers.get('x-credits-charged')).toBe('1')
  expectProblem(unknown, ...ends)
  expectProblem(bypassing, ...ends)
}

async function expectNothingBadStored(name: string): Promise<void> {
  const { store } = service.service
  const ref = (slug: string) => ({
    kind: 'people' as const,
    ref: { identifier: { kind: 'people' as const, type: 'slug' as const, value: slug } },
  })
  const history = await store.entities.history(ref(`with-${name}`))
  expect(history?.versions.map(({ current }) => current)).toEqual([true])
  expect(await store.entities.history(ref(`without-${name}`))).toBeNull()
  const { json } = await service.person(`with-${name}`, '', { 'Cache-Control': 'max-stale' })
  expect(json['public_identifier']).toBe(`with-${name}`)
}

/** The archive of a name, oldest first. */
async function archivedFor(name: string): Promise<(string | null)[]> {
  const rows = await archiveRows(service, `slug:${name}`)
  const outcomes = new Set(['interim', 'unavailable', 'timeout', 'invalid', 'rejected', 'limited'])
  expect(rows.filter(({ outcome }) => !outcomes.has(outcome))).toEqual([])
  return rows.map(({ payload }) => payload && Buffer.from(payload).toString())
}

describe('every upstream fault is an outage: a stale copy is served, or the call fails free of charge', () => {
  let trials: Map<string, Trial>
  let spent: number

  beforeAll(async () => {
    const before = (await service.balance()).balance
    trials = await tryAll(new Map(faults.map(({ name, play }) => [name, play])))
    spent = before - (await service.balance()).balance
  })

  test.each(faults)('$name: $ends', async ({ name, ends, archived }) => {
    const trial = trials.get(name)
    if (!trial) throw new Error(`no trial of ${name}`)

    expectOutage(trial, ends)
    expect(await archivedFor(`without-${name}`)).toEqual(archived)
    await expectNothingBadStored(name)
  })

  test('only the copies and the stale answers were billed, and nothing is held', async () => {
    expect(spent).toBe(2 * faults.length)
    expect((await service.balance()).held).toBe(0)
    expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
  })
})

describe('bodies that are not JSON', () => {
  test('are outages, and none leaves a trace in a record', { timeout: 600_000 + malformed.size * 5_000 }, async () => {
    const before = (await service.balance()).balance

    const trials = await tryAll(
      new Map([...malformed].map(([name, bytes]) => [name, (response: ServerResponse) => sendJson(response, bytes)])),
    )

    expect(trials.size).toBe(malformed.size)
    for (const [name, trial] of trials) {
      expectOutage(trial, invalid)
      await expectNothingBadStored(name)
    }
    expect((await service.balance()).held).toBe(0)
    // One for the copy, one for the stale answer, one for the final read.
    expect(before - (await service.balance()).balance).toBe(3 * malformed.size)
  })
})

test('a provider with a closed port is an outage too, and recovers by itself', async () => {
  upstream.script = goodPerson
  await service.person('with-refused')
  service.clock.advance({ days: 8 })
  const port = Number(new URL(upstream.env['VITAE_MIRROR_URL'] ?? '').port)
  await upstream.close()

  const stored = await service.person('with-refused')
  const unknown = await service.person('without-refused')
  const bypassing = await service.person('with-refused', '&bypass_cache=true')
  await upstream.start(port)
  const back = await service.person('with-refused', '&bypass_cache=true')

  expectOutage({ stored, unknown, bypassing }, unavailable)
  expectRecord(back, service.clock.now(), { source: 'live', ageSeconds: 0 })
})

test('after VITAE_BREAKER_FAILURES in a row upstream is not called, stale copies are served, and then one call tries', async () => {
  const breaking = await startTestService({
    env: { ...upstream.env, VITAE_BREAKER_FAILURES: '3' },
  })
  upstream.script = goodPerson
  await breaking.person('ada-fiction')
  breaking.clock.advance({ days: 8 })
  upstream.script = (_request, response) => void response.writeHead(500).end()
  for (const id of ['one', 'two', 'three']) expectProblem(await breaking.person(id), 503, 'upstream_unavailable')
  upstream.asked.length = 0
  upstream.script = goodPerson

  expectProblem(await breaking.person('four'), 503, 'upstream_unavailable')
  const stale = await breaking.person('ada-fiction')
  expect(upstream.asked).toEqual([])
  expectRecord(stale, breaking.clock.now(), { source: 'stale_fallback', ageSeconds: 8 * 86_400 })
  breaking.clock.advance({ seconds: 15 })
  expect((await breaking.person('four')).status).toBe(200)
  await breaking.close()
})
