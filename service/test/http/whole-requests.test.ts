import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { converse, lookup } from './lookup/conversation.ts'

const portOf = ({ url }: TestService) => Number(new URL(url).port)
const billed = 'X-Credits-Charged'

describe.each([
  ['with the fast path', true],
  ['without the fast path', false],
])('answered calls equal billed calls, %s', (_name, fastPath) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ fastPath })
    await service.person('stored')
  })
  afterAll(() => service.close())

  const good = (more = '', id = 'stored') => lookup(id, '{key}', more)
  const resolve = (more: string) =>
    `GET /v1/companies/resolve?domain=acme.example HTTP/1.1\r\nHost: x\r\nApiKey: {key}\r\n${more}\r\n`
  const cases: [name: string, pieces: string[]][] = [
    ['garbage behind a lookup', [`${good()}\0\0`]],
    ['garbage behind a lookup that asks the provider', [`${good('', 'fetched-first')}\0`]],
    ['words behind a lookup', [`${good()}hello there\r\n\r\n`]],
    ['garbage in a piece of its own', [good(), '\0']],
    ['garbage behind two lookups', [`${good()}${good()}\0`]],
    ['half a request behind a lookup', [`${good()}GET /v1/people`]],
    ['bytes after Connection: close', [`${good('Connection: close\r\n')}more`]],
    ['a lookup after Connection: close', [`${good('Connection: close\r\n')}${good()}`]],
    ['a coding that nobody knows', [`${good('Transfer-Encoding: xchunked\r\n')}0\r\n\r\n`]],
    ['a chunk without a size', [`${good('Transfer-Encoding: chunked\r\n')}zz\r\n`]],
    ['a chunk without a size, later', [good('Transfer-Encoding: chunked\r\n'), 'zz\r\n']],
    ['half a body', [`${good('Content-Length: 9\r\n')}half`]],
    ['two lengths', [`${good('Content-Length: 0\r\nContent-Length: 1\r\n')}x`]],
    ['garbage behind a search', [`${resolve('')}\0`]],
    ['a search with a coding that nobody knows', [`${resolve('Transfer-Encoding: xchunked\r\n')}0\r\n\r\n`]],
    ['a search with half a body', [`${resolve('Content-Length: 9\r\n')}half`]],
  ]

  test.each(cases)('%s', async (_case, pieces) => {
    const { key, balance } = await service.newCaller(10)
    const conversation = converse(portOf(service))
    for (const piece of pieces) await conversation.sayAlone(piece.replaceAll('{key}', key))
    conversation.socket.end()
    const heard = await conversation.rest()
    // An earlier charge would be settled by the time of this one.
    await service.person('stored', '', { ApiKey: key })

    const charges = Array.from(heard.matchAll(new RegExp(`^${billed}: (\\d+)`, 'gim')), ([, credits]) =>
      Number(credits),
    )
    const records = heard.match(/HTTP\/1\.1 200 /g)?.length ?? 0
    expect(charges.length).toBe(records)
    expect(9 - (await balance())).toBe(charges.reduce((sum, credits) => sum + credits, 0))
    // A caller who only gets an error has received no record.
    expect(heard).toMatch(/^HTTP\/1\.1 (200|400|404|499) /)
  })
})

describe('an answer that comes before the end of its request', () => {
  let service: TestService
  const keys: Record<string, string> = {}
  beforeAll(async () => {
    // Fewer rows than usual are too many, because counting them takes seconds.
    const env = { VITAE_UNAUTHORIZED_RATE: '100000/60s', VITAE_BATCH_ROWS: '1000' }
    service = await startTestService({ env })
    keys['live'] = service.liveKey
    keys['sample'] = (await service.makeKey({ mode: 'test' })).key
    const elsewhere = await service.makeKey({ mode: 'test', networks: ['10.1.0.0/16'] })
    keys['elsewhere'] = elsewhere.key
    keys['id'] = elsewhere.id
    keys['owner'] = service.service.admin.ownerToken
  })
  afterAll(() => service.close())

  const csv = 'Content-Type: text/csv\r\n'
  const json = 'Content-Type: application/json\r\n'
  const lines = 'Content-Type: application/x-ndjson\r\n'
  const owner = 'Authorization: Bearer {owner}\r\n'
  const rows = (first: string, size = 1_000_000) => first.padEnd(size, 'ada\n')
  const cases: [name: string, target: string, headers: string, body: string, status: number][] = [
    ['a batch without a key', 'POST /v1/batches', csv, rows('id\n'), 401],
    ['a batch from elsewhere', 'POST /v1/batches', `${csv}ApiKey: {elsewhere}\r\n`, rows('id\n'), 403],
    ['a batch of no type', 'POST /v1/batches', 'ApiKey: {sample}\r\n', rows('id\n'), 415],
    ['a batch with a bad tag', 'POST /v1/batches', `${csv}ApiKey: {sample}\r\nX-Spend-Tag: a b\r\n`, rows('id\n'), 400],
    ['a batch that is no text', 'POST /v1/batches?kind=people', `${csv}ApiKey: {sample}\r\n`, rows('\0'), 400],
    [
      'a batch without its column',
      'POST /v1/batches?kind=people&column=x',
      `${csv}ApiKey: {sample}\r\n`,
      rows('id\n'),
      400,
    ],
    ['a batch with too many rows', 'POST /v1/batches?kind=people', `${csv}ApiKey: {sample}\r\n`, rows('id\n'), 413],
    ['a batch that is no object', 'POST /v1/batches', `${json}ApiKey: {sample}\r\n`, rows('['), 400],
    ['a batch that says a thing twice', 'POST /v1/batches', `${json}ApiKey: {sample}\r\n`, rows('{"a":1,"a":1,'), 400],
    [
      'a batch with a line without end',
      'POST /v1/batches',
      `${lines}ApiKey: {sample}\r\n`,
      rows('"').replaceAll('\n', ' '),
      400,
    ],
    [
      'a batch for a key',
      'POST /admin/v1/batches?kind=people&column=x&key_id={id}',
      `${csv}${owner}`,
      rows('id\n'),
      400,
    ],
    ['a batch of a stranger', 'POST /admin/v1/batches?kind=people&key_id={id}', csv, rows('id\n'), 401],
    [
      'a preview',
      'POST /admin/v1/batches/preview?kind=people&column=x&key_id={id}',
      `${csv}${owner}`,
      rows('id\n'),
      400,
    ],
    ['a message that is too long', 'POST /mcp', `${json}ApiKey: {sample}\r\n`, rows('{'), 413],
    ['a message without a key', 'POST /mcp', json, rows('{'), 401],
    ['an admin call', 'POST /admin/v1/keys', `${json}${owner}`, rows('{').repeat(2), 413],
    ['an admin call without a token', 'POST /admin/v1/keys', json, rows('{'), 401],
    ['an unknown type', 'POST /admin/v1/keys', `Content-Type: text/x\r\n${owner}`, rows('{'), 415],
    ['a wrong method', 'POST /v1/people/profile', `${json}ApiKey: {sample}\r\n`, rows('{'), 413],
    ['a wrong address', 'PUT /nowhere', json, rows('{'), 413],
    ['a method that nobody knows', 'PROPFIND /v1/batches', csv, rows('{'), 405],
  ]
  const filled = (text: string) => text.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => keys[name] ?? whole)
  const inChunks = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

  test.each(cases.flatMap((each) => [['with its length', ...each] as const, ['in chunks', ...each] as const]))(
    'is read past, and the next request is answered: %s, %s',
    async (form, _name, target, headers, body, status) => {
      const conversation = converse(portOf(service))
      const length = form === 'in chunks' ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
      conversation.say(`${filled(target)} HTTP/1.1\r\nHost: x\r\n${filled(headers)}${length}\r\n\r\n`)
      conversation.say(form === 'in chunks' ? inChunks(body) : body)
      const early = await conversation.answer()
      conversation.say(lookup('ada', keys['sample'] ?? ''))
      const next = await conversation.answer()

      expect(early?.status).toBe(status)
      expect(early?.headers.find(([name]) => /^connection$/i.test(name))?.[1]?.toLowerCase()).toBe('keep-alive')
      expect(next?.status).toBe(200)
    },
  )
})
