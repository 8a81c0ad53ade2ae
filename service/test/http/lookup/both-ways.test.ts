import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../harness/test-service.ts'
import { Conversation, lastRequest, seenByNode, type HeardAnswer } from './conversation.ts'

const people = '/v1/people/profile'
const portOf = ({ url }: TestService) => Number(new URL(url).port)

/** The service with the fast path, and one without it. */
let quick: TestService
let usual: TestService
let sample = ''
let usualSample = ''
const inside = new Map<TestService, string>()

beforeAll(async () => {
  const env = { VITAE_UNAUTHORIZED_RATE: '100000/60s', VITAE_TRUST_PROXY: '127.0.0.1' }
  const services = [startTestService({ env }), startTestService({ env, fastPath: false })] as const
  ;[quick, usual] = await Promise.all(services)
  sample = (await quick.makeKey({ mode: 'test' })).key
  usualSample = (await usual.makeKey({ mode: 'test' })).key
  for (const service of [quick, usual]) {
    inside.set(service, (await service.makeKey({ mode: 'test', networks: ['10.1.0.0/16'] })).key)
    await service.person('stored-one')
    await service.person('live-two', '', { 'Idempotency-Key': 'once' })
  }
})
afterAll(() => Promise.all([quick.close(), usual.close()]))

/** Everything except ids and time-dependent parts. */
function comparable({ statusLine, headers, body }: HeardAnswer) {
  const kept = headers.map(([name, value]) =>
    /^(date|x-request-id|x-source-updated-at)$/i.test(name) ? name : `${name}: ${value}`,
  )
  return { statusLine, headers: kept, body: body.replace(/"request_id":"[^"]+"/, '') }
}

function statusOf(answer: { statusLine: string } | undefined): number {
  return Number(answer?.statusLine.split(' ')[1])
}

/** Sends the bytes, waits for a response, and then ends with a last request, so that a hidden request would show. */
async function allAnswers(service: TestService, bytes: string) {
  const conversation = new Conversation(portOf(service))
  conversation.say(bytes)
  const answers: (HeardAnswer | null)[] = []
  do answers.push(await conversation.answer())
  while (answers.at(-1)?.status === 100)
  conversation.say(lastRequest)
  answers.push(await conversation.answer())
  expect(await conversation.rest(), bytes).toBe('')
  return answers.filter((answer) => answer !== null).map(comparable)
}

async function expectAlike(make: (key: string, service: TestService) => string) {
  const [byLane, usually] = [
    await allAnswers(quick, make(sample, quick)),
    await allAnswers(usual, make(usualSample, usual)),
  ]
  expect(byLane.length).toBeGreaterThan(0)
  expect(byLane).toEqual(usually)
  return byLane
}

const plain: [name: string, target: string, headers: string, status: number][] = [
  ['a record', `${people}?profile_id=ada`, 'ApiKey: {key}\r\n', 200],
  ['a record with its parts', `${people}?profile_id=ada&include_contact_info=true`, 'ApiKey: {key}\r\n', 200],
  ['a company', '/v1/companies/details?company_id=acme', 'ApiKey: {key}\r\n', 200],
  ['a live record', `${people}?profile_id=live-one`, 'ApiKey: {live}\r\n', 200],
  ['a stored record', `${people}?profile_id=stored-one`, 'ApiKey: {live}\r\nCache-Control: only-if-cached\r\n', 200],
  ['nothing stored', `${people}?profile_id=none`, 'ApiKey: {live}\r\nCache-Control: only-if-cached\r\n', 504],
  ['an idempotent call', `${people}?profile_id=live-three`, 'ApiKey: {live}\r\nIdempotency-Key: first\r\n', 200],
  ['its repetition', `${people}?profile_id=live-two`, 'ApiKey: {live}\r\nIdempotency-Key: once\r\n', 200],
  ['another question under its key', `${people}?profile_id=ada`, 'ApiKey: {live}\r\nIdempotency-Key: once\r\n', 422],
  ['no such person', `${people}?profile_id=sample-not-found`, 'ApiKey: {key}\r\n', 404],
  ['a bad query', `${people}?profile_id=ada&max_age_days=x`, 'ApiKey: {key}\r\n', 400],
  ['unknown parameters', `${people}?profile_id=ada&format=a&unknown=b`, 'ApiKey: {key}\r\n', 200],
  ['booleans as Python prints them', `${people}?profile_id=ada&include_contact_info=True`, 'ApiKey: {key}\r\n', 200],
  ['a bad query with unknown parameters', `${people}?profileId=ada`, 'ApiKey: {key}\r\n', 400],
  ['chosen fields', `${people}?profile_id=ada&fields=headline`, 'ApiKey: {key}\r\n', 200],
  ['a field that no record has', `${people}?profile_id=ada&fields=a`, 'ApiKey: {key}\r\n', 400],
  ['an empty query', `${people}?`, 'ApiKey: {key}\r\n', 400],
  ['a broken escape', `${people}?profile_id=%E0%A4%A`, 'ApiKey: {key}\r\n', 400],
  ['no key', `${people}?profile_id=ada`, '', 401],
  ['an empty key', `${people}?profile_id=ada`, 'ApiKey:\r\n', 401],
  ['a wrong key', `${people}?profile_id=ada`, 'ApiKey: wrong\r\n', 401],
  ['a key without a space before it', `${people}?profile_id=ada`, 'ApiKey:{key}\r\n', 200],
  ['a key in capitals', `${people}?profile_id=ada`, 'APIKEY: {key}\r\n', 200],
  ['a forwarded call', `${people}?profile_id=ada`, 'ApiKey: {key}\r\nX-Forwarded-For: 10.1.2.3\r\n', 200],
  ['an allowed address', `${people}?profile_id=ada`, 'ApiKey: {inside}\r\nX-Forwarded-For: 10.1.2.3\r\n', 200],
  ['another address', `${people}?profile_id=ada`, 'ApiKey: {inside}\r\nX-Forwarded-For: 10.2.2.3\r\n', 403],
  [
    'a claimed address',
    `${people}?profile_id=ada`,
    'ApiKey: {inside}\r\nX-Forwarded-For: 10.1.2.3,203.0.113.9\r\n',
    403,
  ],
  ['two proxies', `${people}?profile_id=ada`, 'ApiKey: {inside}\r\nX-Forwarded-For: 10.1.2.3 , 127.0.0.1\r\n', 200],
  ['no forwarded address', `${people}?profile_id=ada`, 'ApiKey: {inside}\r\nX-Forwarded-For:\r\n', 403],
  ['a path that ends in a slash', `${people}/?profile_id=ada`, 'ApiKey: {key}\r\n', 200],
  ['a small number of days', `${people}?profile_id=ada&max_age_days=1e-7`, 'ApiKey: {key}\r\n', 200],
  ['a key as a bearer token', `${people}?profile_id=ada`, 'Authorization: Bearer {key}\r\n', 200],
  ['a key in X-Api-Key', `${people}?profile_id=ada`, 'x-api-key: {key}\r\n', 200],
  ['a key in two headers', `${people}?profile_id=ada`, 'ApiKey: {key}\r\nAuthorization: Bearer {key}\r\n', 200],
  ['two different keys', `${people}?profile_id=ada`, 'ApiKey: {key}\r\nX-Api-Key: other\r\n', 401],
  ['a key and a foreign token', `${people}?profile_id=ada`, 'ApiKey: {key}\r\nAuthorization: Bearer x\r\n', 401],
  ['a key and a password', `${people}?profile_id=ada`, 'ApiKey: {key}\r\nAuthorization: Basic eDp5\r\n', 200],
  ['an empty key and a token', `${people}?profile_id=ada`, 'ApiKey:\r\nAuthorization: Bearer {key}\r\n', 200],
  ['a rejection as a problem', `${people}?profile_id=ada`, 'Accept: application/problem+json\r\n', 401],
  ['Connection: Keep-Alive', `${people}?profile_id=ada`, 'ApiKey: {key}\r\nConnection: Keep-Alive\r\n', 200],
]

test.each(plain)(
  'with and without the fast path the answer is the same: %s',
  async (_name, target, headers, status) => {
    const seen = seenByNode(portOf(quick))
    const [answer] = await expectAlike((key, service) =>
      `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
        .replaceAll('{key}', key)
        .replace('{live}', service.liveKey)
        .replace('{inside}', inside.get(service) ?? ''),
    )

    expect(seen).toEqual([])
    expect(statusOf(answer)).toBe(status)
    expect(answer?.headers.slice(-2)).toEqual(['Connection: keep-alive', 'Keep-Alive: timeout=72'])
  },
)

const line = `GET ${people}?profile_id=ada HTTP/1.1`
const withHeaders = (headers: string, body = '') => `${line}\r\nHost: x\r\nApiKey: {key}\r\n${headers}\r\n${body}`
const withLine = (first: string) => `${first}\r\nHost: x\r\nApiKey: {key}\r\n\r\n`
const hardly: [name: string, bytes: string, statuses: number[]][] = [
  ['Connection: close', withHeaders('Connection: close\r\n'), [200]],
  ['Connection: keep-alive, x', withHeaders('Connection: keep-alive, x\r\n'), [200, 200]],
  ['Keep-Alive', withHeaders('Keep-Alive: timeout=5\r\n'), [200, 200]],
  ['a second key', withHeaders('ApiKey: other\r\n'), [401, 200]],
  ['the same key again', withHeaders('ApiKey: {key}\r\n'), [401, 200]],
  [
    'two bearer tokens',
    `${line}\r\nHost: x\r\nAuthorization: Bearer {key}\r\nAuthorization: Bearer x\r\n\r\n`,
    [401, 200],
  ],
  ['a second Host', withHeaders('Host: y\r\n'), [200, 200]],
  ['no Host', `${line}\r\nApiKey: {key}\r\n\r\n`, [400]],
  ['an empty Host', `${line}\r\nHost:\r\nApiKey: {key}\r\n\r\n`, [200, 200]],
  [
    'a second X-Forwarded-For',
    withHeaders('X-Forwarded-For: 10.1.2.3\r\nX-Forwarded-For: 203.0.113.9\r\n').replace('{key}', '{inside}'),
    [403, 200],
  ],
  ['a second Idempotency-Key', withHeaders('Idempotency-Key: a\r\nIdempotency-Key: b\r\n'), [400, 200]],
  ['a second Cache-Control', withHeaders('Cache-Control: no-cache\r\nCache-Control: only-if-cached\r\n'), [504, 200]],
  ['a body of no length', withHeaders('Content-Length: 0\r\n'), [200, 200]],
  ['a body', withHeaders('Content-Length: 5\r\n', 'hello'), [200, 200]],
  ['a body in chunks', withHeaders('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'), [200, 200]],
  ['two lengths', withHeaders('Content-Length: 0\r\nContent-Length: 5\r\n'), [400]],
  ['a length and chunks', withHeaders('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), [400]],
  ['a coding that nobody knows', withHeaders('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), [400]],
  ['Expect: 100-continue', withHeaders('Expect: 100-continue\r\n'), [100, 200, 200]],
  ['another expectation', withHeaders('Expect: the unexpected\r\n'), [417, 200]],
  ['Upgrade', withHeaders('Connection: Upgrade\r\nUpgrade: h2c\r\n'), [200, 200]],
  ['a folded line', withHeaders('X: a\r\n b\r\n'), [400]],
  ['a folded key', `${line}\r\nHost: x\r\nApiKey:\r\n {key}\r\n\r\n`, [400]],
  ['bare line feeds', withHeaders('').replaceAll('\r\n', '\n'), [400]],
  ['one bare line feed', withHeaders('X: a\nY: b\r\n'), [400]],
  ['a bare carriage return', withHeaders('X: a\rY: b\r\n'), [400]],
  ['a NUL', withHeaders('X: a\0b\r\n'), [400]],
  ['a high byte', withHeaders('X: \xe9\r\n'), [200, 200]],
  ['a high byte in the key', `${line}\r\nHost: x\r\nApiKey: {key}\xe9\r\n\r\n`, [401, 200]],
  ['a tab in a value', withHeaders('X: a\tb\r\n'), [200, 200]],
  ['a tab before the key', `${line}\r\nHost: x\r\nApiKey:\t{key}\r\n\r\n`, [200, 200]],
  ['spaces around the key', `${line}\r\nHost: x\r\nApiKey:   {key}  \r\n\r\n`, [200, 200]],
  ['a space before the colon', withHeaders('X : a\r\n'), [400]],
  ['a header without a name', withHeaders(': a\r\n'), [400]],
  ['a header without a colon', withHeaders('X\r\n'), [400]],
  ['a long header', withHeaders(`X: ${'x'.repeat(10_000)}\r\n`), [200, 200]],
  ['a header that is too long', withHeaders(`X: ${'x'.repeat(33_000)}\r\n`), [431]],
  ['many headers', withHeaders('').replace('ApiKey', `${'X: a\r\n'.repeat(200)}ApiKey`), [200, 200]],
  ['too many headers', withHeaders(Array.from({ length: 1_100 }, (_, index) => `x${index}:\r\n`).join('')), [431]],
  ['a whole URL', withLine(`GET http://x${people}?profile_id=ada HTTP/1.1`), [200, 200]],
  ['a fragment', withLine(`GET ${people}?profile_id=ada#b HTTP/1.1`), [400, 200]],
  ['a fragment before the query', withLine(`GET ${people}#b?profile_id=ada HTTP/1.1`), [200, 200]],
  ['an escaped path', withLine('GET /%761/people/profile?profile_id=ada HTTP/1.1'), [200, 200]],
  ['no query', withLine(`GET ${people} HTTP/1.1`), [400, 200]],
  ['a space in the URL', withLine(`GET ${people}?profile_id=a b HTTP/1.1`), [400]],
  ['a tab in the URL', withLine(`GET ${people}?profile_id=a\tb HTTP/1.1`), [400]],
  ['a NUL in the URL', withLine(`GET ${people}?profile_id=a\0b HTTP/1.1`), [400]],
  ['a high byte in the URL', withLine(`GET ${people}?profile_id=\xc3\xa9 HTTP/1.1`), [400]],
  ['quotes and brackets in the URL', withLine(`GET ${people}?profile_id="<[{|}]>" HTTP/1.1`), [400, 200]],
  ['a URL that is too long', withLine(`GET ${people}?profile_id=${'a'.repeat(8_200)} HTTP/1.1`), [414, 200]],
  ['a lower-case method', withLine(`get ${people}?profile_id=ada HTTP/1.1`), [400]],
  ['POST', withLine(`POST ${people}?profile_id=ada HTTP/1.1`), [405, 200]],
  ['HTTP/1.0', withLine(`GET ${people}?profile_id=ada HTTP/1.0`), [200]],
  ['HTTP/1.2', withLine(`GET ${people}?profile_id=ada HTTP/1.2`), [400]],
  ['HTTP/2.0', withLine(`GET ${people}?profile_id=ada HTTP/2.0`), [200]],
  ['a lower-case protocol', withLine(`GET ${people}?profile_id=ada http/1.1`), [400]],
  ['two spaces', withLine(`GET  ${people}?profile_id=ada HTTP/1.1`), [200, 200]],
  ['an empty line before', `\r\n${withHeaders('')}`, [200, 200]],
  ['an empty line after', `${withHeaders('')}\r\n`, [200, 200]],
  ['bytes after', `${withHeaders('')}\0`, [200, 400]],
]

test.each(hardly)(
  'a request that the fast path does not take is answered as without it: %s',
  async (_name, bytes, statuses) => {
    const answers = await expectAlike((key, service) =>
      bytes.replaceAll('{key}', key).replace('{inside}', inside.get(service) ?? ''),
    )

    expect(answers.map(statusOf)).toEqual(statuses)
  },
)
