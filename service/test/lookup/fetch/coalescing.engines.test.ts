import { get as httpGet } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { onPostgres } from '../../harness/engines.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'
import { expectProblem } from '../provenance.ts'
import { Gate, goodPerson, ScriptedUpstream, sendJson } from '../../harness/scripted-provider.ts'

const many = process.env['VITAE_TEST_LONG'] ? 1_000 : 250
const upstream = new ScriptedUpstream()
let service: TestService

beforeAll(async () => {
  await upstream.start()
  service = await startTestService({
    credits: 10_000,
    env: { ...upstream.env, VITAE_UPSTREAM_TIMEOUT_MS: '60000', VITAE_UPSTREAM_TOTAL_MS: '60000' },
  })
})
afterAll(async () => {
  await service.close()
  await upstream.close()
})
beforeEach(() => {
  upstream.asked.length = 0
  upstream.script = goodPerson
})

/** Waits until the given number of calls hold a credit: all have arrived, and none is answered. */
async function untilHeld(count: number): Promise<void> {
  await expect.poll(async () => (await service.balance()).held).toBeGreaterThanOrEqual(count)
}

describe('concurrent identical needs share one upstream call', () => {
  test(`${many} concurrent misses: one call, ${many} answers, each charged once`, async () => {
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const before = (await service.balance()).balance

    const calls = Array.from({ length: many }, () => service.person('ada-fiction'))
    await untilHeld(many)
    gate.open()
    const answers = await Promise.all(calls)

    expect(upstream.asked).toEqual(['ada-fiction'])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(many)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    for (const { headers } of answers) {
      expect(headers.get('x-data-source')).toBe('live')
      expect(headers.get('x-data-age-seconds')).toBe('0')
      expect(headers.get('x-credits-charged')).toBe('1')
    }
    expect(await service.balance()).toEqual({ balance: before - many, held: 0, available: before - many })
  })

  test('nobody fails if the first caller leaves', async () => {
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const leader = httpGet(`${service.url}/v1/people/profile?profile_id=bea-fiction`, {
      headers: { ApiKey: service.liveKey },
    })
    leader.on('error', () => {})
    await gate.reached
    const others = Array.from({ length: 5 }, () => service.person('bea-fiction'))
    await untilHeld(6)

    leader.destroy()
    gate.open()

    for (const answer of await Promise.all(others)) {
      expect(answer.status).toBe(200)
      expect(answer.json['public_identifier']).toBe('bea-fiction')
    }
    expect(upstream.asked).toEqual(['bea-fiction'])
  })

  test('a failure is shared by all waiting callers, costs nobody, and the next caller asks again', async () => {
    const gate = new Gate()
    upstream.script = gate.before((_request, response) => sendJson(response, '{'))
    const before = (await service.balance()).balance
    const calls = Array.from({ length: 5 }, () => service.person('cleo-fiction'))
    await untilHeld(5)
    gate.open()

    for (const answer of await Promise.all(calls)) expectProblem(answer, 502, 'upstream_invalid')
    expect(upstream.asked).toEqual(['cleo-fiction'])
    expect(await service.balance()).toEqual({ balance: before, held: 0, available: before })

    upstream.script = goodPerson
    expect((await service.person('cleo-fiction')).status).toBe(200)
    expect(upstream.asked).toHaveLength(2)
  })

  test('a miss is shared too, and counts once against the allowance', async () => {
    const gate = new Gate()
    upstream.script = gate.before((_request, response) => void response.writeHead(404).end())
    const calls = Array.from({ length: 5 }, () => service.person('nobody-fiction'))
    await untilHeld(5)
    gate.open()

    for (const answer of await Promise.all(calls)) expectProblem(answer, 404, 'not_found')
    expect(upstream.asked).toEqual(['nobody-fiction'])
  })

  test('a caller who wants fresh data does not get the answer to a weaker question', async () => {
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const plain = service.person('dora-fiction')
    await gate.reached
    const others = ['&bypass_cache=true', '&max_age_days=0'].flatMap((query) => [
      service.person('dora-fiction', query),
      service.person('dora-fiction', query),
    ])
    await untilHeld(5)
    gate.open()

    for (const { status } of await Promise.all([plain, ...others])) expect(status).toBe(200)
    expect(upstream.asked).toHaveLength(3)
  })
})

// Without Redis a node beside others caches no records, and such a call would find it only there.
test.skipIf(onPostgres)(
  "a call whose hold takes longer than another's fetch shares that fetch, and pays for it",
  async () => {
    const { lookup } = service.service
    const { settle } = lookup
    onTestFinished(() => void (lookup.settle = settle))
    const bothWait = Promise.withResolvers<void>()
    const firstEnded = Promise.withResolvers<void>()
    let holds = 0
    lookup.settle = async (request) => {
      if (request.type !== 'hold') return settle(request)
      holds += 1
      if (holds === 1) await bothWait.promise
      else await firstEnded.promise
      return settle(request)
    }
    const before = (await service.balance()).balance

    const calls = [service.person('elsa-fiction'), service.person('elsa-fiction')]
    while (holds < 2) await nextTurn()
    bothWait.resolve()
    const first = await Promise.race(calls)
    firstEnded.resolve()
    const answers = await Promise.all(calls)

    expect(upstream.asked).toEqual(['elsa-fiction'])
    for (const { status, text, headers } of answers) {
      expect(status).toBe(200)
      expect(text).toBe(first.text)
      expect(headers.get('x-credits-charged')).toBe('1')
    }
    const sources = new Set(answers.map(({ headers }) => headers.get('x-data-source')))
    expect(sources).toEqual(new Set(['live', 'store']))
    expect(await service.balance()).toEqual({ balance: before - 2, held: 0, available: before - 2 })
  },
)

describe('the upstream allowance of a key', () => {
  let strict: TestService

  beforeAll(async () => {
    strict = await startTestService({ env: { VITAE_NOT_FOUND_RATE: '3/1h' } })
  })
  afterAll(() => strict.close())
  beforeEach(() => {
    strict.upstream.requests.length = 0
    strict.upstream.latencyMs = 0
  })

  test('refuses further misses with 429 while store answers continue, until its window is over', async () => {
    const other = await strict.newCaller(10)
    await strict.person('ada-fiction')
    for (const id of ['missing-1', 'missing-2', 'missing-3']) expectProblem(await strict.person(id), 404, 'not_found')
    strict.clock.advance({ minutes: 20 })

    const refused = await strict.person('missing-4')
    expect({ status: refused.status, body: refused.text }).toEqual({ status: 429, body: 'upstream_allowance_exceeded' })
    expect(refused.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(refused.headers.get('retry-after')).toBe('2400')
    expect((await strict.person('ada-fiction')).headers.get('x-data-source')).toBe('store')
    expectProblem(await strict.person('missing-1'), 404, 'not_found')
    expectProblem(await strict.person('missing-4', '', { ApiKey: other.key }), 404, 'not_found')
    expect(strict.upstream.requests).toHaveLength(5)
    expect((await strict.balance()).held).toBe(0)

    strict.clock.advance({ minutes: 40 })
    expectProblem(await strict.person('missing-5'), 404, 'not_found')
  })

  test('does not count found records and outages, however many run at once', async () => {
    const { key } = await strict.newCaller(200)
    const ids = Array.from({ length: 40 }, (_, index) => `good-${index}`)
    strict.upstream.latencyMs = 5

    const answers = await Promise.all(ids.map((id) => strict.person(id, '', { ApiKey: key })))
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200))

    await strict.upstream.setFault('malformed')
    for (const id of ['bad-1', 'bad-2', 'bad-3', 'bad-4'])
      expectProblem(await strict.person(id, '', { ApiKey: key }), 502, 'upstream_invalid')
    await strict.upstream.setFault(null)
    expect((await strict.person('good-again', '', { ApiKey: key })).status).toBe(200)
  })

  test('is never exceeded upstream, however many misses run at once', async () => {
    const { key } = await strict.newCaller(200)
    const ids = Array.from({ length: 20 }, (_, index) => `missing-at-once-${index}`)

    const answers = await Promise.all(ids.map((id) => strict.person(id, '', { ApiKey: key })))

    expect(strict.upstream.requests).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(17)
  })
})
