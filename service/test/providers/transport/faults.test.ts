import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ChainFault } from '../../../src/providers/chain/chain-answer.ts'
import type { FaultKind } from '@vitae/provider'
import { faultToFailure } from '../../../src/providers/chain/fault-to-failure.ts'
import { malformedJson, oddJson } from '../../corpora/corpora.ts'
import { askFor, deadUrl, faultOf, key, mirrorChain, sendPerson, serve, serveRaw } from './faulty-server.ts'

interface Fault {
  name: string
  kind: FaultKind
  /** The number of provider calls, including retries. */
  hits: number
}

const rawFaults: (Fault & { answer: (socket: Socket) => void })[] = [
  { name: 'a reset connection', kind: 'unavailable', hits: 3, answer: (socket) => socket.resetAndDestroy() },
  { name: 'a connection that closes without a word', kind: 'unavailable', hits: 3, answer: (socket) => socket.end() },
  {
    name: 'a body that is cut off',
    kind: 'unavailable',
    hits: 3,
    answer: (socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"member_urn":'),
  },
  {
    name: 'a chunked body that is cut off',
    kind: 'unavailable',
    hits: 3,
    answer: (socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":'),
  },
  {
    name: 'headers that are cut off',
    kind: 'unavailable',
    hits: 3,
    answer: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'),
  },
  {
    name: 'bytes that are not HTTP',
    kind: 'invalid',
    hits: 1,
    answer: (socket) => socket.end(Buffer.from([0, 1, 2, 200, 13, 10, 13, 10])),
  },
  {
    name: 'a greeting of another protocol',
    kind: 'invalid',
    hits: 1,
    answer: (socket) => socket.end('220 smtp.example ESMTP\r\n'),
  },
  { name: 'an answer that never comes', kind: 'timeout', hits: 1, answer: () => {} },
  {
    name: 'a slow drip',
    kind: 'timeout',
    hits: 1,
    answer: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n')
      const timer = setInterval(() => socket.write(' '), 10)
      socket.on('close', () => clearInterval(timer))
    },
  },
]

const person = '{"member_urn":"urn:li:member:7001","public_identifier":"ada-fiction","first_name":"Ada"}'
const json =
  (body: string | Uint8Array, type = 'application/json') =>
  (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': type }).end(body)
const status =
  (code: number, body = '', type = 'text/plain') =>
  (response: ServerResponse) =>
    void response.writeHead(code, { 'content-type': type }).end(body)

const httpFaults: (Fault & { answer: (response: ServerResponse) => void })[] = [
  { name: 'an empty body', kind: 'invalid', hits: 1, answer: json('') },
  { name: 'garbage', kind: 'invalid', hits: 1, answer: json('<<<%$') },
  { name: 'a web page', kind: 'invalid', hits: 1, answer: json('<html></html>', 'text/html') },
  { name: 'a record declared as text', kind: 'invalid', hits: 1, answer: json(person, 'text/plain') },
  { name: 'a record followed by garbage', kind: 'invalid', hits: 1, answer: json(`${person}x`) },
  { name: 'two records in a row', kind: 'invalid', hits: 1, answer: json(person + person) },
  { name: 'half a record', kind: 'invalid', hits: 1, answer: json(person.slice(0, -9)) },
  {
    name: 'a body that is not UTF-8',
    kind: 'invalid',
    hits: 1,
    answer: json(Buffer.from(person.replace('Ada', 'Jos\u00e9'), 'latin1')),
  },
  { name: 'a list', kind: 'invalid', hits: 1, answer: json(`[${person}]`) },
  { name: 'null', kind: 'invalid', hits: 1, answer: json('null') },
  { name: 'an empty object', kind: 'invalid', hits: 1, answer: json('{}') },
  {
    name: '2 MB of JSON',
    kind: 'invalid',
    hits: 1,
    answer: json(`{"member_urn":"urn:li:member:7","summary":"${'a'.repeat(2_000_000)}"}`),
  },
  {
    name: 'a redirect',
    kind: 'invalid',
    hits: 1,
    answer: (response) => void response.writeHead(302, { location: '/' }).end(),
  },
  { name: '204', kind: 'invalid', hits: 1, answer: status(204) },
  { name: '400', kind: 'invalid', hits: 1, answer: status(400) },
  {
    name: 'a 404 of a route',
    kind: 'invalid',
    hits: 1,
    answer: status(404, '{"code":"route_not_found"}', 'application/problem+json'),
  },
  { name: 'a 404 of a web server', kind: 'invalid', hits: 1, answer: status(404, '<h1>Not Found</h1>', 'text/html') },
  { name: '401', kind: 'rejected', hits: 1, answer: status(401, 'invalid_api_key') },
  { name: '402', kind: 'rejected', hits: 1, answer: status(402, 'out_of_credits') },
  { name: '403', kind: 'rejected', hits: 1, answer: status(403) },
  { name: '429', kind: 'limited', hits: 1, answer: status(429) },
  { name: '500', kind: 'unavailable', hits: 3, answer: status(500) },
  { name: '503', kind: 'unavailable', hits: 3, answer: status(503) },
]

const codes: Record<FaultKind, string> = {
  invalid: 'upstream_invalid',
  timeout: 'upstream_timeout',
  unavailable: 'upstream_unavailable',
  rejected: 'upstream_unavailable',
  limited: 'upstream_unavailable',
}

function expectFault(fault: ChainFault, kind: FaultKind): void {
  expect(fault).toBeInstanceOf(ChainFault)
  expect(fault.kind, fault.message).toBe(kind)
  expect(faultToFailure(fault).code).toBe(codes[kind])
  expect(faultToFailure(fault).details.retryAfterSeconds).toBe(codes[kind] === 'upstream_unavailable' ? 5 : undefined)
  const told = [fault, ...fault.attempts.map((attempt) => attempt.fault)].map(
    (error) => `${error?.stack} ${String(error?.cause)}`,
  )
  expect(told.join('\n')).not.toContain(key)
}

describe('a provider fault is an outage of the right kind', () => {
  test('a refused connection', async () => {
    expectFault(await faultOf(mirrorChain(await deadUrl()).ask(askFor('ada-fiction'))), 'unavailable')
  })

  test.each(rawFaults)('$name', async ({ answer, kind, hits }) => {
    const server = await serveRaw(answer)

    const fault = await faultOf<ChainFault>(
      mirrorChain(server.url, {}, { attemptTimeoutMs: 200 }).ask(askFor('ada-fiction')),
    )

    expectFault(fault, kind)
    expect(server.state.hits).toBe(hits)
  })

  test.each(httpFaults)('$name', async ({ answer, kind, hits }) => {
    const server = await serve((_request, response) => answer(response))

    const fault = await faultOf<ChainFault>(mirrorChain(server.url).ask(askFor('ada-fiction')))

    expectFault(fault, kind)
    expect(server.hits).toHaveLength(hits)
  })

  test('every received answer is archived, even those that were retried', async () => {
    const server = await serve((_request, response, hit) => response.writeHead(500).end(`failure ${hit}`))

    const fault = await faultOf<ChainFault>(mirrorChain(server.url).ask(askFor('ada-fiction')))

    const [attempt] = fault.attempts
    expect(attempt?.answers.map(({ body }) => Buffer.from(body).toString())).toEqual([
      'failure 1',
      'failure 2',
      'failure 3',
    ])
    expect(attempt?.answer).toBe(attempt?.answers[2])
  })

  test('an invalid answer is archived too', async () => {
    const server = await serve((_request, response) => json('garbage')(response))

    const fault = await faultOf<ChainFault>(mirrorChain(server.url).ask(askFor('ada-fiction')))

    expect(Buffer.from(fault.answer?.body ?? []).toString()).toBe('garbage')
    expect(fault.attempts[0]?.answers).toHaveLength(1)
  })

  test('the same server works again a moment later', async () => {
    const server = await serve((_request, response, hit) =>
      hit <= 3 ? response.socket?.destroy() : sendPerson(response),
    )
    const chain = mirrorChain(server.url)

    await faultOf(chain.ask(askFor('ada-fiction')))

    expect((await chain.ask(askFor('ada-fiction'))).verdict.outcome).toBe('found')
  })
})

describe('a body that is not a record', () => {
  const serveBodies = (bodies: Map<string, Uint8Array>, wrap = (body: Uint8Array) => body) =>
    serve((request, response) => {
      const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('profile_id') ?? ''
      json(wrap(bodies.get(id) ?? new Uint8Array()))(response)
    })

  test('is invalid if it is not JSON, one by one, without opening the breaker', async () => {
    const bodies = malformedJson()
    const server = await serveBodies(bodies)
    const chain = mirrorChain(server.url)

    for (const name of bodies.keys()) {
      const fault = await faultOf<ChainFault>(chain.ask(askFor(name)))
      expect(fault.kind, name).toBe('invalid')
    }
    expect(server.hits).toHaveLength(bodies.size)
  })

  test('is invalid inside an otherwise good record too', async () => {
    const bodies = new Map([...malformedJson()].filter(([, body]) => body[0] === 0x7b && body.length < 1_000))
    const server = await serveBodies(bodies, (body) =>
      Buffer.concat([Buffer.from(`${person.slice(0, -1)},"extra":`), body, Buffer.from('}')]),
    )
    const chain = mirrorChain(server.url)

    expect(bodies.size).toBeGreaterThan(10)
    for (const name of bodies.keys()) expect((await faultOf(chain.ask(askFor(name)))).kind, name).toBe('invalid')
  })

  test('is invalid if it is JSON of another shape', async () => {
    const bodies = oddJson()
    const server = await serveBodies(bodies)
    const chain = mirrorChain(server.url)

    for (const name of bodies.keys()) expect((await faultOf(chain.ask(askFor(name)))).kind, name).toBe('invalid')
  })
})
