import { Company, Person, type Kind } from '@vitae/contract'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { mirror } from '../../../src/providers/mirror/mirror.ts'
import { anyRecord } from '../any-record.ts'
import { askFor, handClock, key, mirrorChain, personOf, sendPerson, serve } from '../transport/faulty-server.ts'

const provider = mirror({ url: 'http://mirror.example', key })
const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const project = (kind: Kind, value: unknown) => provider.project(kind, bytes(value))
const schemas = { people: Person, companies: Company }

describe('requests to the mirror', () => {
  async function asked(overrides: Parameters<typeof askFor>[1], base = '') {
    const server = await serve((_request, response) => sendPerson(response, { company_id: '9' }))
    await mirrorChain(`${server.url}${base}`, {}, { origins: [server.url] }).ask(askFor('ada-fiction', overrides))
    const [hit] = server.hits
    if (!hit) throw new Error('the mirror was not asked')
    return { path: hit.url.pathname, query: Object.fromEntries(hit.url.searchParams), headers: hit.headers }
  }
  const everyPart = { include_network_info: 'true', include_contact_info: 'true', get_verification_details: 'true' }

  test('a person by the bare slug with every optional part, the key only in its header', async () => {
    const { path, query, headers } = await asked({})

    expect(path).toBe('/v1/people/profile')
    expect(query).toEqual({ profile_id: 'ada-fiction', ...everyPart, max_age_days: '7' })
    expect(headers).toMatchObject({ apikey: key, 'idempotency-key': 'ask-1', accept: 'application/json' })
  })

  test('a company by slug or number, in any script', async () => {
    for (const [type, value] of [
      ['id', '1441'],
      ['slug', 'straße & söhne'],
    ] as const) {
      const { path, query } = await asked({ identifier: { kind: 'companies', type, value } })
      expect(path).toBe('/v1/companies/details')
      expect(query).toEqual({ company_id: value, max_age_days: '7' })
    }
  })

  test('live data past every cache if fresh data is wanted', async () => {
    expect((await asked({ fresh: true, maxAgeDays: 0 })).query).toEqual({
      profile_id: 'ada-fiction',
      ...everyPart,
      bypass_cache: 'true',
      max_age_days: '0',
    })
  })

  test.each([
    [0.5, '0.5'],
    [0, '0'],
    [30, '30'],
    [0.0000001, '0'],
    [1 / 3, '0.333333'],
  ])('an age of %d days as %s, a plain decimal', async (maxAgeDays, text) => {
    expect((await asked({ maxAgeDays })).query['max_age_days']).toBe(text)
  })

  test('a base URL may have a path, and may already end in /v1', async () => {
    expect((await asked({}, '/gateway/')).path).toBe('/gateway/v1/people/profile')
    expect((await asked({}, '/v1')).path).toBe('/v1/people/profile')
  })

  test('every retry has the same Idempotency-Key', async () => {
    const server = await serve((_request, response, hit) =>
      hit < 3 ? response.writeHead(500).end() : sendPerson(response),
    )

    await mirrorChain(server.url).ask(askFor('ada-fiction', { idempotencyKey: 'only-once' }))

    expect(server.hits.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'only-once',
      'only-once',
      'only-once',
    ])
  })
})

describe('answers of the mirror', () => {
  async function said(status: number, headers: Record<string, string>, body: string) {
    const server = await serve((_request, response) => response.writeHead(status, headers).end(body))
    const clock = handClock()
    return mirrorChain(server.url, { clock }, { clock }).ask(askFor('ada-fiction'))
  }

  test.each([
    ['application/problem+json', '{"code":"not_found","status":404}'],
    ['application/json', '{"error":"unknown"}'],
    ['text/plain', 'not_found'],
    ['text/plain', ''],
  ])('a 404 as %s %j is an answer', async (type, body) => {
    expect(await said(404, { 'content-type': type }, body)).toMatchObject({
      verdict: { outcome: 'not_found' },
      outcome: 'unknown',
    })
  })

  test.each([
    ['text/html', '<h1>Not found</h1>'],
    ['text/plain', '404 page not found'],
    ['application/problem+json', '{"code":"route_not_found"}'],
  ])('a 404 as %s %j comes from an intermediary', async (type, body) => {
    await expect(said(404, { 'content-type': type }, body)).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('its cost and when the data was last seen; the source takes precedence over the mirror', async () => {
    const record = '{"member_urn":"urn:li:member:1"}'
    const fetched = {
      'content-type': 'application/json; charset=utf-8',
      'x-fetched-at': '2026-11-12T09:30:00.000+00:00',
    }

    const mirrored = await said(200, { ...fetched, 'x-credits-charged': '2' }, record)
    const sourced = await said(200, { ...fetched, 'x-source-updated-at': '2026-11-01T00:00:00.000+00:00' }, record)
    const silent = await said(200, { 'content-type': 'application/json', 'x-fetched-at': 'yesterday' }, record)

    expect(mirrored).toMatchObject({
      verdict: { cost: 2 },
      projection: { sourceUpdatedAt: Date.UTC(2026, 10, 12, 9, 30) },
    })
    expect(sourced).toMatchObject({ projection: { sourceUpdatedAt: Date.UTC(2026, 10, 1) } })
    expect(silent).toMatchObject({ verdict: { cost: null }, projection: { sourceUpdatedAt: null } })
  })
})

describe('the record of a mirror', () => {
  test('amounts above 2^32 and text in any script survive the wire', async () => {
    const fields = { headline: 'Ἀθηνᾶ 雅典娜 أثينا 🦉👩🏽‍🚀 \u2028 x', network_info: { followers_count: 2 ** 53 - 1 } }
    const server = await serve((_request, response) => sendPerson(response, fields))

    const person = personOf(await mirrorChain(server.url).ask(askFor('ada-fiction')))

    expect(person).toMatchObject(fields)
    const funded = project('companies', {
      company_id: '9',
      funding_data: { last_funding_round: { money_raised: { amount: 9007199254740991, currency: 'usd' } } },
    })
    expect(JSON.stringify(funded.record)).toContain('"amount":9007199254740991,')
  })

  test.each(['people', 'companies'] as const)('keys may be missing anywhere in %s and others may be added', (kind) => {
    const jumbled = fc.tuple(
      anyRecord(kind),
      fc.infiniteStream(fc.constantFrom('keep', 'keep', 'drop', 'null', 'extra')),
    )
    fc.assert(
      fc.property(jumbled, ([record, fates]) => {
        const { record: read, identity } = project(kind, jumble(record, fates))
        expect(Check(schemas[kind], read)).toBe(true)
        expect(Object.keys(read)).toEqual(Object.keys(record))
        expect(identity.key).toBe('member_urn' in read ? read.member_urn : read.company_id)
      }),
      { numRuns: 200 },
    )
  })

  test('unknown values follow the contract: null, [], false and whole objects for people, null for companies', () => {
    const { record: person } = project('people', { member_urn: 'urn:li:member:1', experience: [{}], contact_info: {} })
    const { record: company } = project('companies', { company_id: '1', industries: [] })

    expect(person).toMatchObject({
      is_memorialized: false,
      skills: [],
      network_info: null,
      location: { name: null, city: null, country: null, country_code: null },
      badges: { premium: false, is_hiring: false },
      contact_info: { email_address: null, websites: [], birth_date: null },
      experience: [{ company_employee_count_range: { start: null, end: null }, date_range: null, positions: [{}] }],
    })
    expect(company).toMatchObject({ industries: [], specialities: null, is_paid: null, locations: null })
  })

  test("dates: without a year there is no date, iso has the date's precision, an absent end is ongoing", () => {
    const dates = [
      { start: { year: 2019, month: 3, iso: '2019-03-01' } },
      { start: { year: null, month: 3 }, end: null },
      { start: { year: 2019, day: 7 }, end: { year: 2020, month: 13, day: 1 } },
    ]
    const { record } = project('people', { member_urn: 'u', education: dates.map((date_range) => ({ date_range })) })

    expect('education' in record && record.education.map((item) => item.date_range)).toEqual([
      { start: { year: 2019, month: 3, day: null, iso: '2019-03' }, end: null },
      { start: null, end: null },
      {
        start: { year: 2019, month: null, day: null, iso: '2019' },
        end: { year: 2020, month: null, day: null, iso: '2020' },
      },
    ])
  })

  test('identity: the platform number, the opaque id and the folded slug are all its names', () => {
    const { identity } = project('people', {
      member_urn: 'urn:li:member:42',
      entity_urn: 'urn:li:fsd_profile:ACoAAFictionOpaqueId_1',
      public_identifier: 'ÄDA-Fiction',
    })

    expect(identity).toEqual({
      key: 'urn:li:member:42',
      derived: false,
      aliases: [
        { type: 'urn', value: 'urn:li:member:42' },
        { type: 'member', value: '42' },
        { type: 'opaque', value: 'ACoAAFictionOpaqueId_1' },
        { type: 'slug', value: 'äda-fiction' },
      ],
    })
    expect(project('companies', { company_id: '77', public_identifier: 'Acme.Fiction' }).identity).toEqual({
      key: '77',
      derived: false,
      aliases: [
        { type: 'id', value: '77' },
        { type: 'slug', value: 'acme.fiction' },
      ],
    })
  })

  test('identity: a key that the mirror derived stays derived, and a missing one is derived from the strongest name', () => {
    const derived = 'urn:vitae:person:0123456789abcdef'
    const mirrored = project('people', { member_urn: derived, public_identifier: 'ada' }).identity
    const [bySlug, again] = [
      project('people', { public_identifier: 'Ada' }),
      project('people', { public_identifier: 'ada', headline: 'x' }),
    ]

    expect(mirrored).toEqual({ key: derived, derived: true, aliases: [{ type: 'slug', value: 'ada' }] })
    expect(bySlug.identity).toEqual(again.identity)
    expect(bySlug.identity).toMatchObject({
      key: expect.stringMatching(/^urn:vitae:person:[\da-f]{16}$/) as string,
      derived: true,
    })
    expect(bySlug.record).toMatchObject({ member_urn: bySlug.identity.key })
    expect(project('companies', { company_name: 'Acme' }).identity).toMatchObject({ derived: true, aliases: [] })
  })
})

/** Drops, blanks and adds keys at every level. Lists, leaves and durable keys stay. */
function jumble(value: unknown, fates: Iterator<string>): unknown {
  if (Array.isArray(value)) return value.map((entry) => jumble(entry, fates))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const fate = fates.next().value
    if (fate === 'drop') return []
    if (fate === 'null') return [[key, null]]
    return fate === 'extra'
      ? [
          ['not_in_the_contract', inner],
          [key, jumble(inner, fates)],
        ]
      : [[key, jumble(inner, fates)]]
  })
  return Object.fromEntries(entries.toReversed())
}
