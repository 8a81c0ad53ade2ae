import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Gate, goodPerson, ScriptedUpstream } from '../../harness/scripted-provider.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'
import { converse, lookup, type Conversation } from '../../http/lookup/conversation.ts'

const upstream = new ScriptedUpstream()
const patiently = { timeout: 300_000 }
let service: TestService
let gate: Gate
let caller: TestCaller

beforeAll(async () => {
  await upstream.start()
  service = await startTestService({
    env: { ...upstream.env, VITAE_UPSTREAM_TIMEOUT_MS: '60000', VITAE_NOT_FOUND_RATE: '3/1h' },
  })
})
afterAll(async () => {
  await service.close()
  await upstream.close()
})
beforeEach(async () => {
  upstream.asked.length = 0
  gate = new Gate()
  upstream.script = gate.before(goodPerson)
  caller = await service.newCaller(10, { daily_ceiling: 10 })
})

/** Sends a request whose fetch does not end before the gate is opened. */
async function begin(bytes: string): Promise<Conversation> {
  const conversation = converse(Number(new URL(service.url).port))
  const before = upstream.asked.length
  conversation.say(bytes)
  await expect.poll(() => upstream.asked.length, patiently).toBe(before + 1)
  return conversation
}

/** Waits until the service has seen everything that happened before: a later connection is answered. */
const seen = () => service.get('/healthz')

async function openAndSettle(): Promise<void> {
  gate.open()
  await expect.poll(() => service.service.guard.inFlight, patiently).toBe(0)
}

const retry = (name: string, headers: Record<string, string> = {}) =>
  service.person(name, '', { ApiKey: caller.key, ...headers })

function toolCall(name: string): string {
  const params = { name: 'lookup_person', arguments: { profile_id: name } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const lines = ['Host: x', `ApiKey: ${caller.key}`, 'Accept: application/json, text/event-stream']
  const type = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  return `POST /mcp HTTP/1.1\r\n${[...lines, ...type].join('\r\n')}\r\n\r\n${body}`
}

describe('a caller whose connection is gone before the record arrives', () => {
  test.each([
    ['on the fast path', (name: string) => lookup(name, caller.key)],
    ['past the fast path', (name: string) => lookup(name, caller.key, 'Connection: close\r\n')],
    ['in an unusual spelling', (name: string) => lookup(name, caller.key).replace('/v1/people', '/v1/%70eople')],
    ['as a tool of an agent', toolCall],
  ])('pays nothing, and its retry is served from the store: %s', async (way, request) => {
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      const name = `${way.replaceAll(' ', '-')}-${leave.toLowerCase()}`
      const { socket } = await begin(request(name))
      socket[leave]()
      await seen()
      await openAndSettle()
      gate = new Gate()
      upstream.script = gate.before(goodPerson)

      expect([name, await caller.balance()]).toEqual([name, 10])
      const again = await retry(name)
      expect([again.status, again.headers.get('x-data-source')]).toEqual([200, 'store'])
      expect(await service.balance('production', caller.project)).toEqual({ balance: 9, held: 0, available: 9 })
      await service.grant(1, 'production', caller.project)
      expect(upstream.asked.filter((asked) => asked === name)).toHaveLength(1)
    }
  })

  test('gets a 499 if only its side of the connection is closed', async () => {
    const conversation = await begin(lookup('half-closed', caller.key))
    conversation.socket.end()
    await seen()
    gate.open()

    const answer = await conversation.answer()
    expect([answer?.statusLine, JSON.parse(answer?.body ?? '')]).toMatchObject([
      'HTTP/1.1 499 unknown',
      { code: 'client_closed_request' },
    ])
    expect(await caller.balance()).toBe(10)
  })

  test('is still answered and billed if the store has the record', async () => {
    gate.open()
    await retry('half-closed-stored')
    const { key, balance } = await service.newCaller(10)
    const conversation = converse(Number(new URL(service.url).port))
    conversation.say(lookup('half-closed-stored', key))
    conversation.socket.end()

    expect(await conversation.answer()).toMatchObject({ status: 200 })
    expect(await balance()).toBe(9)
  })

  test('uses its allowance of upstream calls, or fetches would be free for callers that hang up', async () => {
    for (const name of ['one', 'two', 'three']) {
      const { socket } = await begin(lookup(`hung-up-${name}`, caller.key))
      socket.destroy()
    }
    await seen()
    await openAndSettle()

    expect(await retry('hung-up-four')).toMatchObject({ status: 429, text: 'upstream_allowance_exceeded' })
    expect(upstream.asked).toEqual(['hung-up-one', 'hung-up-two', 'hung-up-three'])
    expect((await retry('hung-up-three')).headers.get('x-data-source')).toBe('store')
    expect(await caller.balance()).toBe(9)
  })

  test('fails nobody who waits for the same record, and those who wait pay', async () => {
    const leader = await begin(lookup('shared-hung-up', caller.key))
    const other = await service.newCaller(10)
    const follower = service.person('shared-hung-up', '', { ApiKey: other.key })
    await expect.poll(async () => (await service.balance('production', other.project)).held, patiently).toBe(1)
    leader.socket.destroy()
    await seen()
    await openAndSettle()

    expect(await follower).toMatchObject({ status: 200 })
    expect([await caller.balance(), await other.balance()]).toEqual([10, 9])
  })

  test('leaves its Idempotency-Key to the retry that already waits, which pays once', async () => {
    const key = { 'Idempotency-Key': `hung-up-${caller.project}` }
    const { socket } = await begin(
      lookup('marked-hung-up', caller.key, `Idempotency-Key: ${key['Idempotency-Key']}\r\n`),
    )
    const waiting = retry('marked-hung-up', key)
    socket.destroy()
    await seen()
    await openAndSettle()

    expect((await waiting).headers.get('x-credits-charged')).toBe('1')
    expect((await retry('marked-hung-up', key)).headers.get('x-credits-charged')).toBe('0')
    expect(await caller.balance()).toBe(9)
  })

  test('is billed once bytes were sent, and the retry with its Idempotency-Key is free', async () => {
    gate.open()
    const key = { 'Idempotency-Key': `cut-${caller.project}` }
    const conversation = converse(Number(new URL(service.url).port))
    conversation.say(lookup('cut-answer', caller.key, `Idempotency-Key: ${key['Idempotency-Key']}\r\n`))
    await new Promise((resolve) => conversation.socket.once('data', resolve))
    conversation.socket.destroy()

    const again = await retry('cut-answer', key)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(await caller.balance()).toBe(9)
  })
})
