import { hostileStrings, hostileUrls } from '../corpora/corpora.ts'
import type { WatchedService } from '../harness/watched-service.ts'
import { attackAll, getBytes, type Attack, type Outcome } from './raw-http.ts'

export const people = '/v1/people/profile'
const companies = '/v1/companies/details'
/** Must never appear in a log, however it is sent. */
export const marker = 'marker-of-a-person-4711'

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

/** These change the cost of a call, so they are always sent with a live key. */
const decidedByMoney = new Set(['Idempotency-Key', 'Cache-Control'])

export interface Keys {
  live: string
  sample: string
}

export const strings = [...hostileStrings(), ...hostileUrls(), marker, `${marker}@mail.example`]
/** One of the places, different for each string. The long form takes all of them for every string. */
const inTurn = <Place>(places: readonly Place[], index: number, all: boolean): readonly Place[] =>
  all ? places : places.slice(index % places.length).slice(0, 1)
/** Every string is sent as an id, and in one other kind of place; in the long form in all three. */
const share = (sort: 0 | 1 | 2, all: boolean) => strings.filter((_, index) => all || index % 3 === sort).entries()
const breaksLines = (text: string) => /[\r\n\0]/.test(text)
const query = (path: string, values: Record<string, string>) => `${path}?${new URLSearchParams(values).toString()}`

/** Texts as ids, and in the other parameters. */
export function* inParameters({ live, sample }: Keys, all: boolean): Generator<Attack> {
  for (const [index, text] of strings.entries())
    for (const [path, id] of inTurn(parameters, index, all))
      for (const ApiKey of inTurn([live, sample], index, all))
        yield { name: `${id}=${text}`, bytes: getBytes(query(path, { [id]: text }), { ApiKey }) }
  for (const [index, text] of share(0, all))
    for (const [path, id, others] of inTurn(parameters, index, all))
      for (const name of inTurn(others, index, all))
        for (const ApiKey of all ? [live, sample] : [sample])
          yield { name: `${name}=${text}`, bytes: getBytes(query(path, { [id]: 'ada', [name]: text }), { ApiKey }) }
}

/** Texts in headers. */
export function* inHeaders({ live, sample }: Keys, all: boolean): Generator<Attack> {
  for (const [index, text] of share(1, all)) {
    for (const name of inTurn(headers, index, all)) {
      const alone = breaksLines(text)
      const ApiKey = alone || !(all || decidedByMoney.has(name)) ? sample : live
      const bytes = getBytes(query(people, { profile_id: ApiKey === live ? 'ada' : 'sample-not-found' }), {
        ApiKey,
        [name]: text,
        Connection: alone ? 'close' : 'keep-alive',
      })
      yield { name: `${name}: ${text}`, bytes, alone }
    }
  }
}

/** Texts in the path, raw and encoded, as the whole target and in place of the method. */
export function* inPaths({ sample }: Keys, token: string, all: boolean): Generator<Attack> {
  const caller = { ApiKey: sample }
  const owner = { Authorization: `Bearer ${token}` }
  for (const [index, text] of share(2, all)) {
    const encoded = encodeURIComponent(text.toWellFormed())
    const targets: [target: string, headers: Record<string, string>][] = [
      [`/${text}`, caller],
      [text, caller],
      [`${people}/${text}`, caller],
      [`/admin/${text}`, caller],
      [`/console/${text}`, caller],
      [`/${encoded}`, caller],
      [`/console/${encoded}`, caller],
      [`/docs/${encoded}`, caller],
      [`/admin/v1/records/people/${encoded}`, owner],
      [`/admin/v1/keys/${encoded}`, owner],
    ]
    for (const [target, sent] of inTurn(targets, index, all))
      yield { name: target, bytes: getBytes(target, sent), alone: breaksLines(target) || !target.startsWith('/') }
    if (text.length < 100 && (all || index % 10 === 0))
      yield { name: `method ${text}`, bytes: Buffer.from(`${text} / HTTP/1.1\r\nHost: x\r\n\r\n`), alone: true }
  }
}

/** Huge, repeated, and prototype-polluting inputs. */
export function hugeAndPolluting({ live }: Keys, token: string): Attack[] {
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
  return [
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
    ...bodies.map((body) => post('/admin/v1/keys', body, token)),
    ...bodies.map((body) => post('/admin/v1/session', body, token)),
    ...bodies.map((body) => post(people, body, token)),
  ]
}

function post(path: string, body: string, token: string): Attack {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
  const bytes = Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  return { name: `POST ${path} ${body.slice(0, 60)}`, bytes }
}

/** Random bytes, and valid requests with a few changed bytes. */
export function* randomBytes({ sample }: Keys, below: (limit: number) => number, count: number): Generator<Attack> {
  const good = getBytes(`${people}?profile_id=ada&max_age_days=7`, {
    ApiKey: sample,
    'Content-Length': '0',
    'Cache-Control': 'max-age=0',
  })
  for (let index = 0; index < count; index++) {
    const noise = () => Buffer.from(Array.from({ length: 1 + below(400) }, () => below(256)))
    yield { name: `random case ${index}`, bytes: index % 4 === 0 ? noise() : changed(good, below), alone: true }
  }
}

function changed(good: Buffer, below: (limit: number) => number): Buffer {
  const bytes = Buffer.from(good)
  for (let change = 0; change <= below(4); change++) bytes[below(bytes.length)] = below(256)
  return bytes
}

/** Sends everything, then checks the promises: statuses, charges, provider requests, and that the process is alive. */
export async function attackService(
  service: WatchedService,
  { live, sample }: Keys,
  attacks: Iterable<Attack>,
  { mayBeSilent = false } = {},
): Promise<{ seen: Map<number, number>; wrong: string[] }> {
  const before = await service.balance()
  const seen = new Map<number, number>()
  const wrong: string[] = []
  let charged = 0
  const check = ({ attack, statuses, answers }: Outcome) => {
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
  await attackAll(service.port, attacks, check)

  const after = await fetch(`${service.url}${people}?profile_id=after-the-storm`, { headers: { ApiKey: sample } })
  if (after.status !== 200 || !service.isAlive()) wrong.push(`afterwards it answers ${after.status}`)
  const balance = await service.balance()
  if (balance !== before - charged) wrong.push(`the balance is ${balance}, and not ${before - charged}`)
  wrong.push(...oddQuestions(service).map((path) => `the provider was asked ${path}`))
  return { seen, wrong }
}

/** Provider requests for anything other than slugs at its two endpoints. */
function oddQuestions({ upstream }: WatchedService): string[] {
  const odd = upstream.requests.filter(({ method, path, headers }) => {
    const url = new URL(path, upstream.url)
    const id = url.searchParams.get(url.pathname === people ? 'profile_id' : 'company_id') ?? ''
    const known = url.pathname === people || url.pathname === companies
    const slug = id !== '' && id.length <= 300 && !/[\s\p{C}/\\:?#%<>"@;=]/u.test(id.replace(/[\u200c\u200d]/g, ''))
    return !(method === 'GET' && known && slug && url.host === headers.host)
  })
  return odd.map(({ path }) => path)
}
