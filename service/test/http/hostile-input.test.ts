import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostileRequests, hostileStrings, hostileUrls } from '../corpora/corpora.ts'
import { attackAll, exchange, getBytes, statusesIn, type Attack, type Outcome } from './raw-http.ts'
import { startWatchedService, type WatchedService } from '../harness/watched-service.ts'

const long = process.env['VITAE_TEST_LONG'] === '1'
const patience = 600_000
const people = '/v1/people/profile'
const companies = '/v1/companies/details'
/** Must be found in no log, whatever it is sent as. */
const marker = 'marker-of-a-person-4711'
const email = `${marker}@mail.example`

const parameters: [path: string, id: string, others: string[]][] = [
  [
    people,
    'profile_id',
    [
      'max_age_days',
      'bypass_cache',
      'include_contact_info',
      'include_network_info',
      'get_verification_details',
      'fields',
      'require',
    ],
  ],
  [companies, 'company_id', ['max_age_days', 'bypass_cache', 'fields', 'require']],
  [`${people}/preflight`, 'profile_id', ['max_age_days', 'fields', 'require']],
  ['/v1/companies/resolve', 'domain', ['domain']],
  [`${companies}/preflight`, 'company_id', ['max_age_days', 'fields', 'require']],
]
const headers = [
  'ApiKey',
  'Idempotency-Key',
  'Cache-Control',
  'X-Forwarded-For',
  'Forwarded',
  'X-Request-Id',
  'traceparent',
  'Cookie',
  'Authorization',
  'Accept',
  'Content-Type',
  'If-None-Match',
  'Range',
  'User-Agent',
]

/** These change what a call costs, so they are always sent with a live key. */
const judgedByMoney = new Set(['Idempotency-Key', 'Cache-Control'])

let service: WatchedService
let live = ''
let sample = ''

beforeAll(async () => {
  service = await startWatchedService()
  live = (await service.makeKey()).key
  sample = (await service.makeKey({ mode: 'test' })).key
}, patience)
// Whatever was sent: no other connection, no name looked up, a clean log, and an orderly end.
afterAll(async () => {
  const ended = await service.end()
  const log = ended.stdout + ended.stderr
  const allowed = [`connect ${new URL(service.upstream.url).host}`, 'polluted []']
  await service.close()

  expect(ended.code, ended.stderr).toBe(0)
  expect(ended.watched.filter((line) => !allowed.includes(line))).toEqual([])
  expect(ended.watched).toEqual(expect.arrayContaining(allowed))
  expect(log.split('\n').length).toBeGreaterThan(100)
  // Short strings are words that any log has.
  const secrets = [live, sample, service.token, marker, ...strings.filter((text) => text.length >= 16)]
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
  expect(secrets.slice(0, 3).filter((secret) => log.includes(Buffer.from(secret).join()))).toEqual([])
  expect(log.match(/[\w.-]+@[\w-]+\.\w+/g)).toBeNull()
}, patience)

/** Sends everything, then looks at the promises: statuses, money, what the provider was asked, and that the process lives. */
async function survive(attacks: Iterable<Attack>, { mayBeSilent = false } = {}): Promise<Map<number, number>> {
  const before = await service.balance()
  const seen = new Map<number, number>()
  const wrong: string[] = []
  let charged = 0
  const judge = ({ attack, statuses, answers }: Outcome) => {
    for (const status of statuses) seen.set(status, (seen.get(status) ?? 0) + 1)
    const silent = statuses.length === 0 && !mayBeSilent && !attack.alone
    if (silent || statuses.some((status) => status >= 500))
      wrong.push(`${attack.name}: ${statuses.join() || 'silence'}`)
    for (const answer of answers) {
      charged += answer.status === 200 ? Number(answer.headers['x-credits-charged'] ?? 0) : 0
      if ([live, sample, service.token].some((secret) => answer.body.includes(secret)))
        wrong.push(`${attack.name}: a secret`)
    }
  }
  await attackAll(service.port, attacks, judge)

  expect(wrong).toEqual([])
  const answer = await fetch(`${service.url}${people}?profile_id=after-the-storm`, { headers: { ApiKey: sample } })
  expect({ status: answer.status, alive: service.isAlive() }).toEqual({ status: 200, alive: true })
  expect(await service.balance()).toBe(before - charged)
  expectWellFormed(service)
  return seen
}

/** The provider is asked for slugs only, at its two endpoints, whatever the callers wrote. */
function expectWellFormed({ upstream }: WatchedService): void {
  const bad = upstream.requests.filter(({ method, path, headers }) => {
    const url = new URL(path, upstream.url)
    const id = url.searchParams.get(url.pathname === people ? 'profile_id' : 'company_id') ?? ''
    const known = url.pathname === people || url.pathname === companies
    const slug = id !== '' && id.length <= 300 && !/[\s\p{C}/\\:?#%<>"@;=]/u.test(id.replace(/[\u200c\u200d]/g, ''))
    return !(method === 'GET' && known && slug && url.host === headers.host)
  })
  expect(bad).toEqual([])
}

const strings = [...hostileStrings(), ...hostileUrls(), marker, email]
/** So many of the names, others for each string; the long form takes all of them for every string. */
const inTurn = (names: readonly string[], index: number, count: number) =>
  long ? names : Array.from({ length: count }, (_, step) => names[(index * count + step) % names.length]!)
const breaksLines = (text: string) => /[\r\n\0]/.test(text)
const query = (path: string, values: Record<string, string>) => `${path}?${new URLSearchParams(values).toString()}`

describe('hostile strings and URLs', () => {
  test(
    'in any parameter: 2xx or 4xx, nothing charged for a failure, nothing asked but slugs, nothing logged',
    async () => {
      function* attacks(): Generator<Attack> {
        for (const [index, text] of strings.entries()) {
          for (const [step, [path, id, others]] of parameters.entries()) {
            for (const ApiKey of inTurn([live, sample], index + step, 1))
              yield { name: `${id}=${text}`, bytes: getBytes(query(path, { [id]: text }), { ApiKey }) }
            for (const name of inTurn(others, index, 1)) {
              for (const ApiKey of long ? [live, sample] : [sample])
                yield {
                  name: `${name}=${text}`,
                  bytes: getBytes(query(path, { [id]: 'ada', [name]: text }), { ApiKey }),
                }
            }
          }
        }
      }
      const seen = await survive(attacks())

      // 404: a URN of somebody else's is well formed, and unknown.
      expect([...seen.keys()].toSorted((a, b) => a - b)).toEqual([200, 400, 404])
      expect(service.upstream.requests.length).toBeGreaterThan(50)
    },
    patience,
  )

  test(
    'in any header: 2xx or 4xx, also where they break the line',
    async () => {
      function* attacks(): Generator<Attack> {
        for (const [index, text] of strings.entries()) {
          for (const name of inTurn(headers, index, 2)) {
            const alone = breaksLines(text)
            const ApiKey = alone || !(long || judgedByMoney.has(name)) ? sample : live
            const bytes = getBytes(query(people, { profile_id: ApiKey === live ? 'ada' : 'sample-not-found' }), {
              ApiKey,
              [name]: text,
              Connection: alone ? 'close' : 'keep-alive',
            })
            yield { name: `${name}: ${text}`, bytes, alone }
          }
        }
      }
      const seen = await survive(attacks(), { mayBeSilent: true })

      expect(seen.get(200)).toBeGreaterThan(50)
      expect(seen.get(401)).toBeGreaterThan(50)
    },
    patience,
  )

  test(
    'in the path, raw and encoded, as the whole target and in place of the method',
    async () => {
      const Authorization = `Bearer ${service.token}`
      function* attacks(): Generator<Attack> {
        for (const [index, text] of strings.entries()) {
          const alone = breaksLines(text)
          const encoded = encodeURIComponent(text.toWellFormed())
          const below = inTurn([people, '/admin', '/console'], index, 1).map((path) => `${path}/${text}`)
          for (const target of [`/${text}`, text, ...below])
            yield { name: target, bytes: getBytes(target, { ApiKey: sample }), alone: alone || target === text }
          for (const path of inTurn(['', '/console', '/docs'], index, 1))
            yield { name: `${path}/${encoded}`, bytes: getBytes(`${path}/${encoded}`, { ApiKey: sample }) }
          for (const path of inTurn(['/admin/v1/records/people', '/admin/v1/keys'], index, 1))
            yield { name: `${path}/${encoded}`, bytes: getBytes(`${path}/${encoded}`, { Authorization }) }
          if (text.length < 100)
            yield { name: `method ${text}`, bytes: Buffer.from(`${text} / HTTP/1.1\r\nHost: x\r\n\r\n`), alone: true }
        }
      }
      const seen = await survive(attacks(), { mayBeSilent: true })

      expect(seen.get(404)).toBeGreaterThan(300)
      expect(seen.get(401)).toBeGreaterThan(100)
    },
    patience,
  )
})

test(
  'huge, repeated and prototype-polluting parameters, headers and bodies',
  async () => {
    const ApiKey = live
    const at = (search: string, more: Record<string, string> = {}): Attack => ({
      name: search.slice(0, 80),
      bytes: getBytes(`${people}?${search}`, { ApiKey, ...more }),
    })
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__']
    const wraps = (name: string) => [
      name,
      `${name}[admin]`,
      `${name}.admin`,
      `constructor[${name}][admin]`,
      `profile_id[${name}]`,
    ]
    const bodies = [
      '{"__proto__":{"admin":true},"project":"p","environment":"e","mode":"test"}',
      '{"constructor":{"prototype":{"admin":true}},"project":"p","environment":"e","mode":"test"}',
      '{"project":{"__proto__":"x"},"environment":"e","mode":"test"}',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `{"project":"${'p'.repeat(100_000)}","environment":"e","mode":"test"}`,
      `{"project":"p","environment":"e","mode":"test","ceiling":${'9'.repeat(10_000)}}`,
      '{"project":"p","environment":"e","mode":"test","rate":"1e309/1s"}',
      '{"project":"\\u0000","environment":"\\ud800","mode":"test"}',
      '\0',
      'null',
      '[]',
      '',
    ]
    const attacks: Attack[] = [
      ...[1, 300, 301, 4_000, 8_150, 8_192, 20_000, 31_000].map((size) => at(`profile_id=${'a'.repeat(size)}`)),
      ...[1, 100, 2_700].map((size) => at(`profile_id=${'%F0%9F%A6%8A'.repeat(size)}`)),
      ...[2, 500].map((times) => at('profile_id=ada&'.repeat(times))),
      at(`${'x=1&'.repeat(2_000)}profile_id=ada`),
      at(`max_age_days=${'9'.repeat(5_000)}&profile_id=ada`),
      at('profile_id[]=ada'),
      at('profile_id[$ne]=1'),
      at('profile_id=ada', { 'X-Huge': 'h'.repeat(31_000) }),
      at('profile_id=ada', Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`X-${index}`, '1']))),
      at('profile_id=ada', { Cookie: 'a=b;'.repeat(7_000) }),
      at('profile_id=ada', { 'Idempotency-Key': 'k'.repeat(256) }),
      ...names.flatMap(wraps).map((name) => at(`${name}=true&profile_id=${encodeURIComponent(name)}`)),
      ...names.map((name) => at('profile_id=ada', { [name]: 'true' })),
      ...bodies.map((body) => post('/admin/v1/keys', body, service.token)),
      ...bodies.map((body) => post('/admin/v1/session', body, service.token)),
      ...bodies.map((body) => post(people, body, service.token)),
    ]
    const seen = await survive(attacks, { mayBeSilent: true })

    expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 400, 414, 431, 405]))
  },
  patience,
)

function post(path: string, body: string, token: string): Attack {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
  const bytes = Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  return { name: `POST ${path} ${body.slice(0, 60)}`, bytes }
}

test(
  'an address under /admin that is spelled another way is guarded like any other',
  async () => {
    const spellings = [
      '/%61dmin/v1/keys',
      '/admin%2Fv1/keys',
      '//admin/v1/keys',
      '/ADMIN/v1/keys',
      '/admin/v1/keys/',
      '/./admin/v1/keys',
      '/admin;x/v1/keys',
      'http://vitae.example/admin/v1/keys',
      'x://admin/v1/keys',
      'admin/v1/keys',
      '/%2561dmin/v1/keys',
      '/admin/v1/../v1/keys',
    ]
    for (const spelling of spellings) {
      const statuses = statusesIn(await exchange(service.port, getBytes(spelling, { Connection: 'close' })))
      expect(statuses, spelling).toHaveLength(1)
      expect([400, 401, 404], spelling).toContain(statuses[0])
    }
  },
  patience,
)

describe('bytes that are hardly requests', () => {
  test(
    'splitting, smuggling and wrong lengths: no case ends the process or is answered with 5xx',
    async () => {
      const cases = hostileRequests()
      const seen = await survive(cases.map(({ name, bytes }) => ({ name, bytes, alone: true })))

      expect(seen.get(400)).toBeGreaterThan(15)
    },
    patience,
  )

  test(
    'a request hidden in the body of another is never answered',
    async () => {
      const hidden = `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`
      const lookup = `GET ${people}?profile_id=ada HTTP/1.1\r\nHost: x\r\nApiKey: ${sample}\r\n`
      const smuggled = [
        `${lookup}Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
        `${lookup}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`,
        `${lookup}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
        `${lookup}Content-Length: +${hidden.length}\r\n\r\n${hidden}`,
        `${lookup}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
        `${lookup}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
        `${lookup}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
        `${lookup}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
        `${lookup}X: y\rContent-Length: 5\r\n\r\n${hidden}`,
        `${lookup}X: y\n\r\n${hidden}`,
      ]
      for (const request of smuggled) {
        const heard = await exchange(service.port, Buffer.from(request, 'latin1'))
        expect(heard, request).not.toContain('"status":"ok"')
        expect(statusesIn(heard).filter((status) => status !== 400).length, request).toBeLessThanOrEqual(1)
      }
    },
    patience,
  )

  test(
    'random bytes, and good requests with a few bytes changed',
    async () => {
      const seed = Math.floor(Math.random() * 2 ** 32)
      console.log(`seed of the random bytes: ${seed}`)
      const random = randomFrom(seed)
      const good = getBytes(`${people}?profile_id=ada&max_age_days=7`, {
        ApiKey: sample,
        'Content-Length': '0',
        'Cache-Control': 'max-age=0',
      })
      const attacks = Array.from({ length: long ? 10_000 : 1_000 }, (_, index): Attack => {
        const bytes =
          index % 4 === 0
            ? Buffer.from(Array.from({ length: 1 + random(400) }, () => random(256)))
            : changed(good, random)
        return { name: `seed ${seed}, case ${index}`, bytes, alone: true }
      })
      const seen = await survive(attacks)

      expect(seen.get(400)).toBeGreaterThan(100)
      expect(seen.get(200)).toBeGreaterThan(10)
    },
    patience,
  )
})

function changed(good: Buffer, random: (below: number) => number): Buffer {
  const bytes = Buffer.from(good)
  for (let change = 0; change <= random(4); change++) bytes[random(bytes.length)] = random(256)
  return bytes
}

/** Mulberry32: small, and the same everywhere for one seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
