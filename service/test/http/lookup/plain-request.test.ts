import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codingIn } from '../../../src/foundation/compress.ts'
import { createHttpServer } from '../../../src/http/server.ts'
import { lookupPaths } from '../../../src/http/lookup/lookup-routes.ts'
import { PlainReader } from '../../../src/http/lookup/plain-request.ts'

const long = process.env['VITAE_TEST_LONG'] === '1'
const patience = 180_000
const sentinel = 'GET /sentinel HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

/** A parser's view of one request. */
interface Understood {
  method: string
  url: string
  apiKey: string | undefined
  idempotencyKey: string | undefined
  cacheControl: string | undefined
  forwardedFor: string | undefined
  accept: string | undefined
  coding: string | null
  body: string
}

/** The request as the fast path parses it; null if it leaves the bytes to Node. */
function plainly(text: string, reader = new PlainReader()): Understood | null {
  const plain = reader.read(text, '127.0.0.1')
  return plain && { method: 'GET', url: `${lookupPaths[plain.kind]}?${plain.search}`, ...plain.headers, body: '' }
}

let server: Server
let port = 0
let onUnderstood: (request: Understood) => void = () => undefined

beforeAll(async () => {
  // The same server that the fast path falls back to, without the fast path.
  server = createHttpServer((request, response) => {
    const { method = '', url = '', headers } = request
    const understood: Understood = {
      method,
      // A trailing slash of a route is ignored.
      url: url.replace(/^([^?]*[^/?])\/\?/, '$1?'),
      apiKey: headers['apikey']?.toString(),
      idempotencyKey: headers['idempotency-key']?.toString(),
      cacheControl: headers['cache-control'],
      forwardedFor: headers['x-forwarded-for']?.toString(),
      accept: headers.accept,
      coding: codingIn(headers['accept-encoding']?.toString()),
      body: '',
    }
    if (url === '/sentinel') return void response.end()
    onUnderstood(understood)
    void readAll(request).then((body) => (understood.body = body))
    response.end()
  }, null)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

/** Node's view of these bytes and a last request after them. Statuses such as 400 are responses without a request. */
async function byNode(bytes: string): Promise<{ requests: Understood[]; statuses: string[] }> {
  const requests: Understood[] = []
  onUnderstood = (request) => requests.push(request)
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes + sentinel, 'latin1')
  const heard = await readAll(socket)
  const statuses = Array.from(heard.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status = '']) => status)
  return { requests, statuses }
}

/** Node must parse everything that the fast path accepts in the same way, one by one and with nothing in between. */
async function expectAgreement(texts: readonly string[]): Promise<number> {
  const taken = texts.filter((text) => plainly(text))
  const seen = await byNode(taken.join(''))

  expect(seen).toEqual({
    requests: taken.map((text) => plainly(text)),
    statuses: [...taken, sentinel].map(() => '200'),
  })
  return taken.length
}

const good =
  `GET ${lookupPaths.people}?profile_id=ada&max_age_days=7 HTTP/1.1\r\nHost: a.example\r\nApiKey: vt_test_k1\r\n` +
  'Idempotency-Key: i-1\r\nCache-Control: no-cache\r\nAccept: */*\r\nX-Forwarded-For: 10.1.2.3\r\nConnection: keep-alive\r\n\r\n'

describe('if the fast path accepts a request, Node parses it the same way', () => {
  test(
    'with any one byte of a valid request replaced, removed, or inserted',
    async () => {
      const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
      // Both parsers treat all letters and digits alike, so a few of them are enough.
      const bytes = all.filter((byte) => long || /[^a-z0-9]|[acgkz01]/i.test(byte))
      let taken = 0
      for (let at = 0; at <= good.length; at++) {
        const [before, after, behind] = [good.slice(0, at), good.slice(at), good.slice(at + 1)]
        const texts = bytes.flatMap((byte) => [before + byte + after, before + byte + behind])
        taken += await expectAgreement([before + behind, ...texts])
      }
      expect(taken).toBeGreaterThan(5_000)
    },
    patience,
  )

  const hostile = fc.constantFrom(
    ...['\r', '\n', '\r\n', '\0', '\t', ' ', ':', ': ', ',', ';', '#', '?', '%', '"', '\\', '\v', '\f', '\x7f'],
    ...['\x80', '\x85', '\xa0', '\xad', '\xff', '\xc3\xa9', '\r\n ', '\r\n\t', '\r\n\r\n', '\n\n', 'a', 'Z', '0'],
    ...['Host: b\r\n', 'ApiKey: two\r\n', 'Content-Length: 4\r\n', 'Transfer-Encoding: chunked\r\n', 'X:\r\n'],
    ...[
      ' HTTP/1.1\r\n',
      ' HTTP/1.0\r\n',
      'GET / HTTP/1.1\r\n',
      'Connection: close\r\n',
      'Upgrade: h2c\r\n',
      '0\r\n\r\n',
    ],
  )
  const change = fc.record({ at: fc.nat(), cut: fc.nat(2), put: fc.oneof(fc.constant(''), hostile) })
  const anyCase = (text: string) =>
    fc.mixedCase(fc.constant(text), { toggleCase: (char) => (char < 'a' ? char.toLowerCase() : char.toUpperCase()) })
  const name = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('ApiKey', 'Idempotency-Key', 'Cache-Control', 'X-Forwarded-For').chain(anyCase),
    },
    { weight: 2, arbitrary: fc.constantFrom('Cookie', 'Range', '__proto__', 'constructor', "!#$%&'*+.^_`|~-", 'x') },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('Host', 'Connection', 'Content-Length', 'Transfer-Encoding', 'Expect', 'Upgrade', 'TE', 'Trailer')
        .chain(anyCase),
    },
  )
  const printable = fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code))
  const value = fc.oneof(
    fc.string({ unit: printable, maxLength: 12 }),
    fc.constantFrom('', ' ', '0', '4', 'chunked', 'close', 'keep-alive', 'Keep-Alive', '100-continue', 'a, b', '\ta'),
  )
  const colon = fc.oneof({ weight: 8, arbitrary: fc.constant(': ') }, fc.constantFrom(':', ' :', ':  ', ':\t'))
  const line = fc.tuple(name, colon, value).map((parts) => `${parts.join('')}\r\n`)
  const nameOf = (text: string) => text.split(':', 1).join().trim().toLowerCase()
  const search = fc.string({
    unit: fc.constantFrom(...'abc019-._~%&=+:/@,;!*\'()$?#[]{}|^`"<> \\'.split('')),
    maxLength: 12,
  })
  const request = fc
    .tuple(
      fc.constantFrom(...Object.values(lookupPaths)),
      fc.oneof({ weight: 3, arbitrary: fc.constant('profile_id=ada') }, search),
      fc.oneof(fc.uniqueArray(line, { maxLength: 5, selector: nameOf }), fc.array(line, { maxLength: 5 })),
    )
    .map(([path, asked, lines]) => `GET ${path}?${asked} HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`)
  const mutated = fc
    .tuple(request, fc.oneof(fc.constant([]), fc.array(change, { maxLength: 3 })))
    .map(([text, changes]) => {
      let result = text
      for (const { at, cut, put } of changes) {
        const place = at % (result.length + 1)
        result = result.slice(0, place) + put + result.slice(place + cut)
      }
      return result
    })

  test(
    'with any header lines, and pieces of other requests in between',
    async () => {
      let taken = 0
      await fc.assert(
        fc.asyncProperty(fc.array(mutated, { minLength: 1, maxLength: 40 }), async (texts) => {
          taken += await expectAgreement(texts)
        }),
        { numRuns: long ? 30_000 : 500 },
      )
      expect(taken).toBeGreaterThan(500)
    },
    patience,
  )

  test('a parser that remembers the headers of its connection works like a new one', () => {
    const twice = fc.array(fc.oneof(mutated, fc.constant(good)), { maxLength: 8 }).map((texts) => [...texts, ...texts])
    fc.assert(
      fc.property(twice, (texts) => {
        const reader = new PlainReader()
        for (const text of texts) expect(plainly(text, reader)).toEqual(plainly(text))
      }),
      { numRuns: long ? 10_000 : 200 },
    )
  })

  test.each([10, 90, 998, 1_300])('with %i meaningless headers', async (count) => {
    const idle = Array.from({ length: count }, (_, index) => `x${index.toString(36)}:\r\n`).join('')

    await expectAgreement([good.replace('ApiKey', `${idle}ApiKey`)])
  })
})

describe('plain requests', () => {
  const path = `${lookupPaths.people}?profile_id=ada`
  const clients: [name: string, text: string][] = [
    [
      'curl',
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: curl/8.14.1\r\nAccept: */*\r\nApiKey: k\r\n\r\n`,
    ],
    [
      'fetch of Node',
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:8080\r\nconnection: keep-alive\r\nApiKey: k\r\naccept: */*\r\n` +
        'accept-language: *\r\nsec-fetch-mode: cors\r\nuser-agent: node\r\naccept-encoding: gzip, deflate\r\n\r\n',
    ],
    [
      'requests of Python',
      `GET ${path} HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: python-requests/2.32.5\r\n` +
        'Accept-Encoding: gzip, deflate\r\nAccept: */*\r\nConnection: keep-alive\r\nApiKey: k\r\n\r\n',
    ],
    [
      'Go',
      `GET ${path} HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: Go-http-client/1.1\r\nApikey: k\r\nAccept-Encoding: gzip\r\n\r\n`,
    ],
    ['wrk', `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nApiKey: k\r\n\r\n`],
  ]

  test.each(clients)('include a lookup as %s sends it', (_name, text) => {
    expect(plainly(text)).toMatchObject({ method: 'GET', url: path, apiKey: 'k', body: '' })
  })

  const others: [name: string, text: string][] = [
    ['a part of a request', good.slice(0, -1)],
    ['two requests', good + good],
    ['nothing', ''],
    ['a line alone', `GET ${path} HTTP/1.1\r\n`],
    ['no header at all', `GET ${path} HTTP/1.1\r\n\r\n`],
    ['no Host', good.replace('Host: a.example\r\n', '')],
    ['an empty Host', good.replace('a.example', '')],
    ['a second Host', good.replace('Accept: */*', 'host: b')],
    ['a second key', good.replace('Accept: */*', 'apikey: b')],
    ['another method', good.replace('GET', 'HEAD')],
    ['another version', good.replace('HTTP/1.1', 'HTTP/1.0')],
    ['another path', good.replace('/v1/people/profile', '/v1/people/profile//')],
    ['no question mark', `GET ${lookupPaths.people} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a whole URL', good.replace('/v1', 'http://a.example/v1')],
    ['a fragment', good.replace('ada', 'ada#b')],
    ['the end of the connection', good.replace('keep-alive', 'close')],
    ...['Content-Length: 0', 'Transfer-Encoding: chunked', 'Expect: 100-continue', 'Upgrade: h2c', 'Trailer: x'].map(
      (header): [string, string] => [header, good.replace('Accept: */*', header)],
    ),
    ...[
      'X: a\tb',
      'X: a\0b',
      'X: \xe9',
      'X: a ',
      'X:\ta',
      'X : a',
      'X',
      ': a',
      'X: a\r\n b',
      'X: a\nY: b',
      'X: a\rb',
    ].map((header): [string, string] => [JSON.stringify(header), good.replace('Accept: */*', header)]),
  ]

  test.each(others)('do not include %s', (_name, text) => {
    expect(plainly(good)).not.toBeNull()
    expect(text).not.toBe(good)
    expect(plainly(text)).toBeNull()
  })
})
