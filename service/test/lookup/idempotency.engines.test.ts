import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contractPerson } from '../../fake-provider/contract-person.ts'
import { startTestService, type TestAnswer, type TestService } from '../harness/test-service.ts'
import { expectProblem, expectRecord } from './provenance.ts'
import { Gate, goodPerson, ScriptedUpstream, sendJson } from '../harness/scripted-provider.ts'

const upstream = new ScriptedUpstream()
let service: TestService
let number = 0
let slug = ''

beforeAll(async () => {
  await upstream.start()
  service = await startTestService({
    credits: 0,
    env: { ...upstream.env, VITAE_IDEMPOTENCY_HOURS: '5' },
    fixed: { idempotencyWaitMs: 1_500 },
  })
})
afterAll(async () => {
  await service.close()
  await upstream.close()
})
beforeEach(() => {
  slug = `someone-${(number += 1)}`
  upstream.asked.length = 0
  upstream.script = goodPerson
})

function ask(key: string, value: string, query = '', id = slug): Promise<TestAnswer> {
  return service.person(id, query, { ApiKey: key, 'Idempotency-Key': value })
}

function expectReplay(answer: TestAnswer, first: TestAnswer): void {
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: first.text })
  expect(answer.headers.get('idempotent-replayed')).toBe('true')
  expect(answer.headers.get('x-credits-charged')).toBe('0')
  expect(answer.headers.get('x-fetched-at')).toBe(first.headers.get('x-fetched-at'))
}

describe('a retry', () => {
  test('is answered even if the first attempt spent the last credit', async () => {
    const { key, balance } = await service.newCaller(1)
    const first = await ask(key, 'retry-1')
    const retry = await ask(key, 'retry-1')

    expect(first.headers.get('x-credits-charged')).toBe('1')
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expectReplay(retry, first)
    expect(retry.headers.get('x-data-source')).toBe('store')
    expect(retry.headers.get('x-credits-remaining')).toBe('0')
    expect(await balance()).toBe(0)
    expect((await ask(key, 'retry-2')).text).toBe('out_of_credits')
  })

  test('is answered even if the ceiling is reached by then', async () => {
    const { key } = await service.newCaller(10, { ceiling: 1 })
    const first = await ask(key, 'retry-1')
    expectReplay(await ask(key, 'retry-1'), first)
    expect((await ask(key, 'retry-2')).text).toBe('credit_ceiling_reached')
  })

  test('with the successor of a rotated key is not billed', async () => {
    const { key, keyId, balance } = await service.newCaller(10)
    const first = await ask(key, 'retry-1')
    const { key: successor } = await service.admin<{ key: string }>('POST', `/keys/${keyId}/rotate`, { overlap: '0s' })

    expectReplay(await ask(successor, 'retry-1'), first)
    expect((await ask(key, 'retry-1')).text).toBe('revoked_api_key')
    expect(await balance()).toBe(9)
  })

  test('gets the version of the first answer with its true age, even if it is stale and upstream fails', async () => {
    const { key, balance } = await service.newCaller(10)
    const first = await ask(key, 'retry-1')
    const { key: other } = await service.newCaller(10)
    service.clock.advance({ hours: 4 })
    upstream.script = (_request, response) =>
      sendJson(response, JSON.stringify({ ...contractPerson(slug), headline: 'Newer' }))
    const newer = await ask(other, 'unrelated', '&bypass_cache=true')
    upstream.script = (_request, response) => void response.writeHead(500).end()
    upstream.asked.length = 0

    const retry = await ask(key, 'retry-1')
    expectReplay(retry, first)
    expectRecord(retry, service.clock.now(), { source: 'store', ageSeconds: 4 * 3_600 })
    expect(newer.text).not.toBe(first.text)
    expect(upstream.asked).toEqual([])
    expect(await balance()).toBe(9)
  })

  test('of a bypassing call fetches nothing', async () => {
    const { key } = await service.newCaller(10)
    const first = await ask(key, 'retry-1', '&bypass_cache=true')
    expectReplay(await ask(key, 'retry-1', '&bypass_cache=true'), first)
    expect(upstream.asked).toHaveLength(1)
  })

  test('of a stale answer is stale', async () => {
    const { key, balance } = await service.newCaller(10)
    await ask(key, 'before')
    service.clock.advance({ days: 8 })
    upstream.script = (_request, response) => sendJson(response, '{')
    const first = await ask(key, 'retry-1')
    const retry = await ask(key, 'retry-1')

    expectReplay(retry, first)
    expectRecord(retry, service.clock.now(), { source: 'stale_fallback', ageSeconds: 8 * 86_400 })
    expect(await balance()).toBe(8)
  })

  test('is a new call after VITAE_IDEMPOTENCY_HOURS', async () => {
    const { key, balance } = await service.newCaller(10)
    const first = await ask(key, 'retry-1')
    service.clock.advance({ hours: 4, minutes: 59 })
    expectReplay(await ask(key, 'retry-1'), first)
    service.clock.advance({ minutes: 1 })
    const late = await ask(key, 'retry-1')

    expect(late.headers.get('idempotent-replayed')).toBeNull()
    expect(await balance()).toBe(8)
  })

  test('is remembered from the answer on, however long the first call took', async () => {
    const { key, balance } = await service.newCaller(10)
    upstream.script = (request, response) => {
      service.clock.advance({ hours: 4 })
      return goodPerson(request, response)
    }
    const first = await ask(key, 'retry-1')
    service.clock.advance({ hours: 2 })

    expectReplay(await ask(key, 'retry-1'), first)
    expect(await balance()).toBe(9)
  })

  test.each(['', '&bypass_cache=true'])('has a receipt that names the paid call (%j)', async (query) => {
    const { key } = await service.newCaller(10)
    const first = await ask(key, 'retry-1', query)
    const retry = await ask(key, 'retry-1', query)
    const receiptOf = ({ headers }: TestAnswer) => service.admin('GET', `/receipts/${headers.get('x-request-id')}`)

    const paid = await receiptOf(first)
    expect(paid).toMatchObject({ credits: 1, source: 'live', status: 200, replay_of: null })
    const { entity, version_id } = paid
    expect(await receiptOf(retry)).toMatchObject({
      credits: 0,
      source: 'store',
      status: 200,
      entity,
      version_id,
      replay_of: first.headers.get('x-request-id'),
    })
  })
})

describe('one idempotency value identifies one request', () => {
  test.each([
    ['another record', '', 'other'],
    ['another part', '&include_contact_info=true', ''],
    ['another age', '&max_age_days=1', ''],
    ['bypass_cache', '&bypass_cache=true', ''],
  ])('the same value for %s is 422, and free', async (_what, query, other) => {
    const { key, balance } = await service.newCaller(10)
    await ask(key, 'reused')
    expectProblem(await ask(key, 'reused', query, other || slug), 422, 'idempotency_key_reused')
    expect(await balance()).toBe(9)
  })

  test('the same record in another notation is the same request', async () => {
    const { key, balance } = await service.newCaller(10)
    const first = await ask(key, 'same')
    expectReplay(await ask(key, 'same', '&max_age_days=7', `https://www.linkedin.com/in/${slug}/`), first)
    expectReplay(await ask(key, 'same', '&max_age_days=9999', slug.toUpperCase()), first)
    expect(await balance()).toBe(9)
  })

  test('bare and quoted are one value', async () => {
    const { key, balance } = await service.newCaller(10)
    const first = await ask(key, 'a\\b"c')
    expectReplay(await ask(key, '"a\\\\b\\"c"'), first)
    expect(await balance()).toBe(9)
  })

  test.each(['', ' ', 'a b', '"open', '""', 'x'.repeat(256), 'caf\u00e9'])('%j is 400, and free', async (value) => {
    const { key, balance } = await service.newCaller(10)
    expectProblem(await ask(key, value), 400, 'invalid_request')
    expect(await balance()).toBe(10)
  })

  test('another project or environment is independent', async () => {
    const one = await service.newCaller(10)
    const two = await service.newCaller(10)
    const { key: staging } = await service.makeKey({ project: one.project, environment: 'staging' })
    await service.grant(10, 'staging', one.project)
    await ask(one.key, 'same-value')
    for (const key of [two.key, staging]) {
      const answer = await ask(key, 'same-value', '', `${slug}-other`)
      expect(answer.headers.get('idempotent-replayed')).toBeNull()
      expect(answer.headers.get('x-credits-charged')).toBe('1')
    }
    expect([await one.balance(), await two.balance()]).toEqual([9, 9])
  })

  test("a test key's value is validated and then ignored", async () => {
    const { key } = await service.makeKey({ mode: 'test' })
    expectProblem(await ask(key, 'not valid'), 400, 'invalid_request')
    for (const id of ['one', 'two']) {
      const answer = await ask(key, 'same-value', '', id)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('idempotent-replayed')).toBeNull()
    }
  })
})

describe('failures are not remembered', () => {
  test('after an outage, a 404 or an empty account the same value starts a new call', async () => {
    const { key, balance, project } = await service.newCaller(1)
    upstream.script = (_request, response) => sendJson(response, '{')
    expectProblem(await ask(key, 'again'), 502, 'upstream_invalid')
    upstream.script = (_request, response) => void response.writeHead(404).end()
    expectProblem(await ask(key, 'again'), 404, 'not_found')
    upstream.script = goodPerson
    await service.person('something-else', '', { ApiKey: key })
    expect((await ask(key, 'again', '&max_age_days=0')).text).toBe('out_of_credits')
    await service.grant(1, 'production', project)

    const good = await ask(key, 'again', '&max_age_days=0')
    expectRecord(good, service.clock.now(), { source: 'live', ageSeconds: 0 })
    expect(good.headers.get('x-credits-charged')).toBe('1')
    expect(await balance()).toBe(0)
  })
})

describe('duplicates that arrive while the first runs', () => {
  test('wait for it, and are answered from it', async () => {
    const { key, balance } = await service.newCaller(10)
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const first = ask(key, 'at-once')
    await gate.reached
    const duplicates = Array.from({ length: 10 }, () => ask(key, 'at-once'))
    setImmediate(() => gate.open())

    const answer = await first
    for (const duplicate of await Promise.all(duplicates)) expectReplay(duplicate, answer)
    expect(upstream.asked).toHaveLength(1)
    expect(await balance()).toBe(9)
  })

  test('get 409 request_in_progress with Retry-After: 2 after the longest wait, without affecting the first', async () => {
    const { key, balance } = await service.newCaller(10)
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const first = ask(key, 'too-long')
    await gate.reached
    const duplicate = await ask(key, 'too-long')
    gate.open()

    expectProblem(duplicate, 409, 'request_in_progress')
    expect(duplicate.headers.get('retry-after')).toBe('2')
    expect((await first).headers.get('x-credits-charged')).toBe('1')
    expectReplay(await ask(key, 'too-long'), await first)
    expect(await balance()).toBe(9)
  })

  test('take over when the first fails', async () => {
    const { key, balance } = await service.newCaller(10)
    const gate = new Gate()
    const bad = gate.before((_request, response) => sendJson(response, '{'))
    upstream.script = (request, response) =>
      upstream.asked.length === 1 ? bad(request, response) : goodPerson(request, response)
    const first = ask(key, 'taken-over')
    await gate.reached
    const duplicates = [ask(key, 'taken-over'), ask(key, 'taken-over')]
    setImmediate(() => gate.open())

    expectProblem(await first, 502, 'upstream_invalid')
    const answers = await Promise.all(duplicates)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(answers.map(({ headers }) => headers.get('x-credits-charged')))).toEqual(new Set(['0', '1']))
    expect(await balance()).toBe(9)
  })

  test('with a different request get 422 at once', async () => {
    const { key } = await service.newCaller(10)
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const first = ask(key, 'running')
    await gate.reached
    expectProblem(await ask(key, 'running', '', `${slug}-other`), 422, 'idempotency_key_reused')
    gate.open()
    expect((await first).status).toBe(200)
  })
})
