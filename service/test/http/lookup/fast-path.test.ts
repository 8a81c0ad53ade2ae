import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { LookupRequest, Reply } from '../../../src/http/exchange/lookup-request.ts'
import { openFastPath } from '../../../src/http/lookup/fast-path.ts'
import { Body } from '../../../src/records/body/record-bytes.ts'
import { openTestService, startTestService, type TestService } from '../../harness/test-service.ts'
import { Conversation, converse, lastRequest, lookup, seenByNode, type HeardAnswer } from './conversation.ts'

const patiently = { interval: 5, timeout: 300_000 }
const portOf = ({ url }: TestService) => Number(new URL(url).port)

let service: TestService
let port = 0
let sample = ''

beforeAll(async () => {
  service = await startTestService()
  port = portOf(service)
  sample = (await service.makeKey({ mode: 'test' })).key
})
beforeEach(() => {
  service.upstream.latencyMs = 0
})
afterAll(() => service.close())

/** The person of an answer's record, or its status. */
function gist(answer: HeardAnswer | null): string {
  if (!answer) return 'the end'
  return /"public_identifier":"([^"]+)"/.exec(answer.body)?.[1] ?? String(answer.status)
}

describe('a connection on the fast path', () => {
  test('is kept for any number of lookups, and Node sees none of them', async () => {
    const seen = seenByNode(port)
    const conversation = converse(port)
    const ids = Array.from({ length: 300 }, (_, index) => `one-${index}`)
    const heard: string[] = []
    for (const [index, id] of ids.entries()) {
      conversation.say(lookup(id, index % 10 === 0 ? service.liveKey : sample))
      heard.push(gist(await conversation.answer()))
    }

    expect(heard).toEqual(ids)
    expect(seen).toEqual([])
  })

  test('distinguishes callers even if everything else is the same', async () => {
    const seen = seenByNode(port)
    const { key } = await service.makeKey({ mode: 'test', endpoints: ['companies'] })
    const conversation = converse(port)
    const heard: string[] = []
    for (const caller of [sample, key, sample, `${sample.slice(0, -1)}!`, sample]) {
      conversation.say(lookup('ada', caller))
      heard.push(gist(await conversation.answer()))
    }

    expect(heard).toEqual(['ada', '403', 'ada', '401', 'ada'])
    expect(seen).toEqual([])
  })

  const others: [name: string, bytes: string, heard: string[]][] = [
    ['POST', 'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}', ['405', 'after', '200']],
    ['HEAD', 'HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n', ['405', 'after', '200']],
    ['an admin path', 'GET /admin/v1/keys HTTP/1.1\r\nHost: x\r\n\r\n', ['401', 'after', '200']],
    ['HTTP/1.0', lookup('old', 'KEY').replace('HTTP/1.1', 'HTTP/1.0'), ['old', 'the end']],
    ['Expect', lookup('patient', 'KEY', 'Expect: 100-continue\r\n'), ['100', 'patient', 'after', '200']],
    [
      'a body in chunks',
      `${lookup('chunked', 'KEY', 'Transfer-Encoding: chunked\r\n')}2\r\nab\r\n0\r\n\r\n`,
      ['chunked', 'after', '200'],
    ],
    ['a lower-case method', lookup('low', 'KEY').replace('GET', 'get'), ['400', 'the end']],
    ['a long header', lookup('long', 'KEY', `X: ${'x'.repeat(9_000)}\r\n`), ['long', 'after', '200']],
    ['bytes that are no request', 'hello\r\n\r\n', ['400', 'the end']],
  ]

  test.each(others)(
    "goes to Node's server with %s, and every request is answered once and in order",
    async (name, bytes, expected) => {
      const conversation = converse(port)
      const heard: string[] = []
      const hear = async (options = {}) => heard.push(gist(await conversation.answer(options)))
      conversation.say(lookup('before', sample))
      await hear()
      conversation.say(bytes.replace('KEY', sample))
      await hear({ bodyless: name === 'HEAD' })
      if (heard.at(-1) === '100') await hear()
      conversation.say(lookup('after', sample))
      await hear()
      if (heard.at(-1) === 'after') {
        conversation.say(lastRequest)
        await hear()
      }

      expect(heard).toEqual(['before', ...expected])
      expect(await conversation.rest()).toBe('')
    },
  )

  const whole: [name: string, bytes: string, status: string][] = [
    ['a page that is not there', 'GET /wp-login.php HTTP/1.1\r\nHost: x\r\n\r\n', '404'],
    ['another method', 'OPTIONS /v1/people/profile HTTP/1.1\r\nHost: x\r\n\r\n', '405'],
    ['a body', 'POST /v1/people/profile HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello', '405'],
    ['a lookup with an unusual header', lookup('unusual', 'KEY', 'X: \xe9\r\n'), 'unusual'],
    ['a long header', lookup('long', 'KEY', `X: ${'x'.repeat(9_000)}\r\n`), 'long'],
  ]

  test.each(whole)('returns after %s', async (_name, bytes, status) => {
    const conversation = converse(port)
    const heard: string[] = []
    const say = async (text: string) => {
      conversation.say(text)
      heard.push(gist(await conversation.answer()))
    }
    await say(bytes.replace('KEY', sample))
    const seen = seenByNode(port)
    await say(lookup('after', sample))
    await say(bytes.replace('KEY', sample))
    const own = seen.splice(0).length
    await say(lookup('again', service.liveKey))

    expect(heard).toEqual([status, 'after', status, 'again'])
    expect(own).toBe(bytes.includes('/v1/') ? 1 : 0)
    expect(seen).toEqual([])
  })

  test("is passed to Node's server if only other requests arrive", async () => {
    const conversation = converse(port)
    const heard: string[] = []
    for (let turn = 0; turn < 20; turn++) {
      conversation.say('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
      heard.push(gist(await conversation.answer()))
    }
    const seen = seenByNode(port)
    conversation.say(lookup('at-last', sample))
    heard.push(gist(await conversation.answer()))

    expect(heard).toEqual([...Array.from({ length: 20 }, () => '200'), 'at-last'])
    expect(seen).toHaveLength(1)
  })

  test('stays for a lookup in two pieces, and for one that arrives early', async () => {
    const seen = seenByNode(port)
    const conversation = converse(port)
    const request = lookup('cut', service.liveKey)
    await conversation.sayAlone(request.slice(0, 60))
    conversation.say(request.slice(60))
    const heard = [gist(await conversation.answer())]
    await conversation.sayAlone(lookup('first', service.liveKey))
    conversation.say(lookup('second', sample))
    heard.push(...(await conversation.answers(2)).map(gist))

    expect(heard).toEqual(['cut', 'first', 'second'])
    expect(seen).toEqual([])
  })

  test('tells a client that closes its side during a lookup what is wrong', async () => {
    const conversation = converse(port)
    await conversation.sayAlone(lookup('half', sample).slice(0, 60))
    conversation.socket.end()

    expect(gist(await conversation.answer())).toBe('400')
    expect(await conversation.rest()).toBe('')
  })

  test('answers a request in two pieces, cut at any byte, once', async () => {
    const seen = seenByNode(port)
    const request = lookup('cut', sample)
    for (let at = 1; at < request.length; at++) {
      const conversation = new Conversation(port)
      conversation.say(lookup('whole', sample))
      const heard = [gist(await conversation.answer())]
      await conversation.sayAlone(request.slice(0, at))
      await conversation.sayAlone(request.slice(at) + lookup('next', sample))
      conversation.say(lastRequest)
      heard.push(...(await conversation.answers(3)).map(gist))

      expect(heard, `cut at ${at}`).toEqual(['whole', 'cut', 'next', '200'])
      expect(await conversation.rest(), `cut at ${at}`).toBe('')
    }
    // The first of each came by the fast path, all others through Node's server.
    expect(seen).toHaveLength(2 * (request.length - 1))
  })

  test.each([2, 3, 10, 100])('answers %i pipelined requests in order', async (count) => {
    const ids = Array.from({ length: count }, (_, index) => `at-once-${index}`)
    const requests = ids.map((id, index) => lookup(id, index % 3 === 0 ? service.liveKey : sample))
    const conversation = converse(port)
    conversation.say(requests.join('') + lastRequest)

    expect((await conversation.answers(count + 1)).map(gist)).toEqual([...ids, '200'])
    expect(await conversation.rest()).toBe('')
  })
})

describe('while a call is pending', () => {
  /** Sends a live lookup whose provider does not answer yet. */
  async function beginCall(conversation: Conversation, id: string, at = service): Promise<void> {
    at.upstream.latencyMs = 400
    conversation.say(lookup(id, at.liveKey))
    await expect.poll(() => at.upstream.requests.some(({ path }) => path.includes(id)), patiently).toBe(true)
  }

  test('others may follow, in any pieces, and all are answered in order', async () => {
    const conversation = converse(port)
    await beginCall(conversation, 'slow')
    await conversation.sayAlone(lookup('second', sample))
    const [start, end] = [lookup('third', service.liveKey).slice(0, 60), lookup('third', service.liveKey).slice(60)]
    await conversation.sayAlone(start)
    await conversation.sayAlone(end)
    await conversation.sayAlone(lookup('fourth', sample) + lookup('fifth', sample))
    conversation.say(lastRequest)

    expect((await conversation.answers(6)).map(gist)).toEqual(['slow', 'second', 'third', 'fourth', 'fifth', '200'])
    expect(await conversation.rest()).toBe('')
  })

  test('far more may follow than fits into any buffer', async () => {
    const conversation = converse(port)
    await beginCall(conversation, 'slow-before-many')
    const ids = Array.from({ length: 700 }, (_, index) => `many-${index}`)
    conversation.say(ids.map((id) => lookup(id, sample)).join('') + lastRequest)

    const heard = await conversation.answers(ids.length + 2)
    expect(heard.map(gist)).toEqual(['slow-before-many', ...ids, '200'])
    expect(await conversation.rest()).toBe('')
  })

  test('a client that has finished sending gets its answer, and then the end', async () => {
    const path = await openFastPathAlone()
    const conversation = converse(path.port)
    const socket = await path.asked(conversation, 'half-closed')
    conversation.socket.end()
    await once(socket, 'end')
    path.reply('half-closed', Buffer.from('hello'))
    const answer = await conversation.answer()

    expect(answer?.body).toBe('hello')
    expect(answer?.headers.at(-1)).toEqual(['Connection', 'close'])
    expect(await conversation.rest()).toBe('')
  })

  test('a client that sends more and then closes its side learns with its first answer that it was the last', async () => {
    const path = await openFastPathAlone()
    const conversation = converse(path.port)
    const socket = await path.asked(conversation, 'hasty')
    await conversation.sayAlone(lookup('too-much', 'key'))
    conversation.socket.end()
    await once(socket, 'end')
    path.reply('hasty', Buffer.from('hello'))
    const answer = await conversation.answer()

    expect(answer?.body).toBe('hello')
    expect(answer?.headers.at(-1)).toEqual(['Connection', 'close'])
    expect(await conversation.rest()).toBe('')
  })

  test.each(['destroy', 'resetAndDestroy'] as const)('a client that goes away (%s) harms nobody', async (leave) => {
    const before = service.service.guard.inFlight
    for (const more of ['', lookup('never-heard', sample), 'GET']) {
      const conversation = converse(port)
      await beginCall(conversation, `gone-${leave.toLowerCase()}-${more.length}`)
      if (more !== '') await conversation.sayAlone(more)
      conversation.socket[leave]()
    }
    const other = converse(port)
    other.say(lookup('stayed', sample))

    expect(gist(await other.answer())).toBe('stayed')
    await expect.poll(() => service.service.guard.inFlight, patiently).toBe(before)
    other.say(lookup('stayed-on', service.liveKey))
    expect(gist(await other.answer())).toBe('stayed-on')
  })

  test('the listener closes once it is answered; idle connections do not keep it open', async () => {
    const closing = await openTestService()
    const { key } = await closing.makeKey({ mode: 'test' })
    const [silent, idle, moved, busy] = Array.from({ length: 4 }, () => converse(portOf(closing)))
    await silent!.sayAlone('')
    for (const conversation of [idle!, moved!]) conversation.say(lookup('ada', key))
    await Promise.all([idle!.answer(), moved!.answer()])
    moved!.say('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    await moved!.answer()
    await beginCall(busy!, 'at-closing-time', closing)

    const since = performance.now()
    const stopped = closing.stop()
    const gone = await Promise.all([silent!, idle!, moved!].map((conversation) => conversation.rest()))
    const answer = gist(await busy!.answer())
    const rest = await busy!.rest()
    await stopped

    expect([...gone, answer, rest]).toEqual(['', '', '', 'at-closing-time', ''])
    // Kept connections would stay open for 72 seconds.
    expect(performance.now() - since).toBeLessThan(20_000)
  })
})

test('a connection that is silent or does not read is closed, one that waits or reads slowly is not', async () => {
  const path = await openFastPathAlone()
  const large = Buffer.alloc(48 * 1_048_576, 'x')
  const closed: string[] = []
  path.server.once('connection', (socket: Socket) => socket.once('close', () => closed.push('silent')))
  await converse(path.port).sayAlone('')
  const begin = async (name: string) => {
    const conversation = converse(path.port)
    const socket = await path.asked(conversation, name)
    socket.once('close', () => closed.push(name))
    return conversation
  }
  const [idle, waiting] = [await begin('idle'), await begin('waiting')]
  const [stalled, slow] = [await begin('stalled'), await begin('slow')]
  for (const conversation of [stalled, slow]) conversation.socket.pause()
  for (const name of ['stalled', 'slow']) path.reply(name, large)
  path.reply('idle', Buffer.from('hello'))

  expect((await idle.answer())?.body).toBe('hello')
  while (!closed.includes('idle') || !closed.includes('stalled')) {
    await pause(100)
    slow.socket.read(524_288)
  }
  expect(closed[0]).toBe('silent')
  expect(closed.toSorted()).toEqual(['idle', 'silent', 'stalled'])
  slow.socket.resume()
  expect((await slow.answer())?.body.length).toBe(large.byteLength)
  path.reply('waiting', Buffer.from('at last'))
  expect((await waiting.answer())?.body).toBe('at last')
})

test('an answer that its reader has not fully taken is not mixed with answers to others', async () => {
  const path = await openFastPathAlone()
  const slow = converse(path.port)
  const bodyOf = (id: string) => Buffer.alloc(30_000, `${id} `)
  const socket = await path.asked(slow, 'slow-0')
  slow.socket.pause()
  path.reply('slow-0', bodyOf('slow-0'))
  let answers = 1
  for (; socket.writableLength === 0; answers++) {
    slow.say(lookup(`slow-${answers}`, 'key'))
    await path.heard(`slow-${answers}`)
    path.reply(`slow-${answers}`, bodyOf(`slow-${answers}`))
  }
  const quick = converse(path.port)
  await path.asked(quick, 'quick')
  path.reply('quick', bodyOf('quick'))
  slow.socket.resume()

  expect((await quick.answer())?.body).toBe(bodyOf('quick').toString())
  for (const [index, answer] of (await slow.answers(answers)).entries()) {
    expect(answer?.body === bodyOf(`slow-${index}`).toString(), `answer ${index} of ${answers}`).toBe(true)
  }
})

/** The fast path alone, with shorter time limits. The test decides when its calls are answered. */
async function openFastPathAlone() {
  const server = createServer()
  const replies = new Map<string, Reply>()
  const serve = ({ search }: LookupRequest, reply: Reply) => void replies.set(search, reply)
  openFastPath(server, serve, { firstRequestMs: 500, keepAliveMs: 1_500, stalledMs: 3_000 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return {
    port,
    server,
    /** Sends a lookup, and returns the server's end of the connection once the fast path has read it. */
    async asked(conversation: Conversation, id: string): Promise<Socket> {
      const accepted = once(server, 'connection')
      conversation.say(lookup(id, 'key'))
      const [socket] = (await accepted) as [Socket]
      await this.heard(id)
      return socket
    },
    async heard(id: string): Promise<void> {
      await expect.poll(() => replies.has(`profile_id=${id}`), patiently).toBe(true)
    },
    reply(id: string, body: Buffer): void {
      replies.get(`profile_id=${id}`)?.(200, `Content-Length: ${body.byteLength}\r\n`, new Body(body))
    },
  }
}
