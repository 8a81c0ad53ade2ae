import type { Person } from '@vitae/contract'
import { expect, test } from 'vitest'
import { type Identifier, type RawAnswer, type WireRequest, ProviderFault } from '../../src/index.ts'
import { compileProviderFile } from '../../src/files/index.ts'
import { testProvider } from '../../src/conformance/index.ts'
import { acme, wren } from './example.ts'

const settings = { url: 'https://api.acmedata.example/base', key: 'the key' }
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const provider = compileProviderFile('acmedata.provider.yaml', acme).create(settings)

/** The requests of an ask, and the verdict on the given answer. */
async function ask(
  identifier: Partial<Identifier>,
  answer: Partial<RawAnswer> & { json?: unknown } = {},
  more: { fresh?: boolean; maxAgeDays?: number } = {},
) {
  const requests: WireRequest[] = []
  const { json, ...raw } = answer
  const asked = {
    identifier: { kind: 'people', type: 'slug', value: 'wren', ...identifier } as Identifier,
    ...{ fresh: false, maxAgeDays: 7, idempotencyKey: 'x', signal: new AbortController().signal, ...more },
  }
  const send = async (request: WireRequest) => {
    requests.push(request)
    return { status: 200, headers: {}, receivedAt: Date.UTC(2026, 0, 1), body: bytes(json ?? wren), ...raw }
  }
  const outcome = await provider.ask(asked, send).catch((error: unknown) => error)
  const [request] = requests
  return { request: request as WireRequest, outcome }
}

test('a request is built from its templates, with the key in its header and encoded values', async () => {
  const { request } = await ask({ value: 'wren/../x' })
  const byNumber = await ask({ type: 'urn', value: 'urn:li:member:5550100' })

  expect({ ...request, url: request.url.href, body: JSON.parse(request.body ?? '') as unknown }).toEqual({
    method: 'POST',
    url: 'https://api.acmedata.example/base/v2/person',
    headers: {
      ...{ accept: 'application/json', 'x-host': 'api.acmedata.example', 'x-region': 'eu' },
      ...{ 'x-acme-key': 'the key', 'content-type': 'application/json' },
    },
    body: { profile: 'https://www.linkedin.com/in/wren%2F..%2Fx', parts: ['jobs', 'skills'], max_age: 7 },
  })
  expect(byNumber.request.url.href).toBe('https://api.acmedata.example/base/v2/person/5550100')
})

test('freshness adds its own parameters, and an ordinary fetch has none of them', async () => {
  const bodies = [{ fresh: true }, { maxAgeDays: 0.5 }, { maxAgeDays: 3.9 }].map(async (more) => {
    const { request } = await ask({}, {}, more)
    return JSON.parse(request.body ?? '') as object
  })

  const [fresh, ordinary, aged] = await Promise.all(bodies)

  expect(fresh).toMatchObject({ live: true })
  expect(Object.keys(ordinary ?? {})).toEqual(['profile', 'parts'])
  expect(aged).toMatchObject({ max_age: 3 })
})

test('a match sends the known inputs, leaves out the unknown ones, and reports which agreed', async () => {
  const match = { name: 'Wren & Co', company_domain: 'ebb.example', minLikelihood: 0.5 }

  const { request, outcome } = await ask({ type: 'match', value: 'hash', match })

  expect(request.url.search).toBe('?name=Wren+%26+Co&site=ebb.example')
  expect(outcome).toMatchObject({ outcome: 'found', match: { matchedOn: ['name', 'company_domain'] } })
})

test.each([
  ['a record', { json: wren }, { outcome: 'found', cost: 0.25 }],
  ['a repeat', { json: { ...wren, repeat: true } }, { outcome: 'found', cost: 0 }],
  ['a record without a price', { json: { person: wren.person } }, { outcome: 'found', cost: 1.5 }],
  ['a 400 with its code', { status: 400, json: { code: 'NO_MATCH' } }, { outcome: 'not_found', cost: 0 }],
  ['a list in the place of the record', { json: { person: [] } }, { outcome: 'not_found' }],
  ['an objection', { status: 451, json: {} }, { outcome: 'not_found' }],
  ['another 400', { status: 400, json: {} }, { kind: 'invalid' }],
  ['a 200 that no rule fits', { json: { message: 'hello' } }, { kind: 'invalid' }],
  ['a 404 that no rule fits', { status: 404, json: {} }, { kind: 'invalid' }],
  ['a quota', { status: 409, json: {} }, { kind: 'rejected', reason: 'no credits, HTTP 409' }],
  ['too many calls', { status: 403, headers: { 'x-reset': '7' } }, { kind: 'limited', retryAfterSeconds: 7 }],
  [
    'a date to wait for',
    { status: 429, headers: { 'x-reset': '1767225610' } },
    { kind: 'limited', retryAfterSeconds: 10 },
  ],
  ['a failure', { status: 502, body: new Uint8Array() }, { kind: 'unavailable' }],
  ['a web page', { body: new TextEncoder().encode('<html>') }, { kind: 'invalid' }],
])('%s leads to the verdict of its rules', async (_name, answer, expected) => {
  const { outcome } = await ask({}, answer as never)

  expect(outcome).toMatchObject(expected)
})

test('a mapping reads paths, alternatives, lists and functions, and the core groups the positions', () => {
  const { record, identity, sourceUpdatedAt, unsaid } = provider.project('people', bytes(wren))

  expect(identity).toMatchObject({ key: 'urn:li:member:5550100', derived: false })
  expect(sourceUpdatedAt).toBe(Date.UTC(2026, 2, 1))
  expect(record).toMatchObject({
    ...{ first_name: 'Wren', last_name: 'Odette Saltmarsh', public_identifier: 'wren-saltmarsh' },
    location: { name: 'Lowen, NLD', city: 'Lowen', country: 'Netherlands', country_code: 'NL' },
    network_info: { followers_count: 1204, connections_count: null },
    badges: { open_to_work: true, premium: false },
    experience: [
      {
        ...{ company_name: 'Ebb Office', company_id: '5550200' },
        date_range: { start: { iso: '2018' }, end: null },
        positions: [{ title: 'Tide Reader' }, { title: 'Clerk', date_range: { end: { iso: '2021-03' } } }],
      },
    ],
    education: [{ school_name: 'Harbour School', date_range: { start: { iso: '2010' }, end: { iso: '2014' } } }],
    skills: ['Tides', 'Charts'],
    certifications: [
      { name: 'Pilot', title: 'Pilot', date_range: { start: { iso: '2012-05' }, end: { iso: '2016-05' } } },
    ],
  })
  expect(unsaid).toEqual(['summary'])
})

test('absent payload members count as not stated, and supplies follows from the mapping', () => {
  const { unsaid } = provider.project(
    'people',
    bytes({ person: { handle: 'wren', full: 'Wren', jobs: null, skills: [] } }),
  )

  expect(unsaid).toEqual(
    expect.arrayContaining(['headline', 'summary', 'location', 'experience', 'certifications', 'network_info']),
  )
  expect(unsaid).not.toContain('skills')
  expect([...provider.supplies.people]).toEqual(
    expect.arrayContaining([
      'member_urn',
      'experience.positions.date_range',
      'certifications.title',
      'location.country',
    ]),
  )
})

test.each([
  ['neither name nor identity', { person: {} }],
  ['no identity', { person: { full: 'Wren Saltmarsh' } }],
  ['no name', { person: { handle: 'wren' } }],
  ['another shape', { result: wren.person }],
])('an answer with %s is a fault, not an empty record', (_name, payload) => {
  expect(() => provider.project('people', bytes(payload))).toThrow(ProviderFault)
})

test('a provider file keeps the whole agreement of providers, even for mutated payloads', async () => {
  const module = compileProviderFile('acmedata.provider.yaml', acme)
  const payloads = [{ name: 'wren', kind: 'people' as const, body: bytes(wren) }]

  const { findings, mapped, mutations } = await testProvider(module, payloads)

  expect({ findings, mapped, mutations }).toEqual({ findings: [], mapped: 1, mutations: 400 })
})

/** The provider of the example with some of its text replaced. */
function changed(from: string, to: string) {
  expect(acme).toContain(from)
  return compileProviderFile('acmedata.provider.yaml', acme.replace(from, to)).create(settings)
}

test('an identifier that a vendor wants as a number is one in the body, and a slug stays a text', async () => {
  const own = changed(
    '- by: [slug, opaque]\n      post: /v2/person\n      json: { profile: "{url}",',
    '- by: [slug, opaque, number]\n      post: /v2/person\n      json: { ids: ["{id:number}"], names: ["{id}"],',
  )
  const bodies: unknown[] = []
  const send = async ({ body = '' }: WireRequest) => {
    bodies.push(JSON.parse(body))
    return { status: 451, headers: {}, receivedAt: 0, body: bytes({}) }
  }
  for (const [type, value] of [
    ['urn', 'urn:li:member:5550100'],
    ['slug', 'wren'],
  ] as const)
    await own.ask(
      {
        identifier: { kind: 'people', type, value },
        ...{ fresh: false, maxAgeDays: 0, idempotencyKey: 'x', signal: new AbortController().signal },
      },
      send,
    )

  expect(bodies).toEqual([
    { ids: [5_550_100], names: ['5550100'], parts: ['jobs', 'skills'] },
    { ids: ['wren'], names: ['wren'], parts: ['jobs', 'skills'] },
  ])
})

test('an item passes if any of several tests holds, together with all others', () => {
  const jobs = [
    { kind: 'school', employer: 'Tidal School' },
    { kind: 'course', employer: 'Net Menders' },
    { kind: 'course', employer: '' },
    { kind: 'job', employer: 'Ebb Office' },
  ]
  const own = changed(
    'where: [{ path: kind, equals: school }, { path: employer, empty: false }]',
    'where: [{ any: [{ path: kind, equals: school }, { path: kind, equals: course }] }, { path: employer, empty: false }]',
  )

  const { record } = own.project('people', bytes({ ...wren, person: { ...wren.person, jobs } }))

  expect((record as Person).education.map((school) => school.school_name)).toEqual(['Tidal School', 'Net Menders'])
})
