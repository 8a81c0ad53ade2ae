import { describe, expect, test } from 'vitest'
import { harvestapi, harvestapiDefaultUrl } from '../../../src/providers/harvestapi/harvestapi.ts'
import { company, person } from '../fixtures/harvestapi.ts'
import { expectSturdy } from '../mutations.ts'
import { expectDeclared, expectKnownPaths, expectValidProjection } from '../projection-rules.ts'
import { askFor, rawAnswer, scriptedSend } from '../scripted-send.ts'
import { fingerprint, kindOf, sharedPayloads } from '../shared-payloads.ts'

const provider = harvestapi({ url: harvestapiDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const personOf = (value: unknown) => projectPerson(bytes(value)).record
const real = sharedPayloads('harvestapi')

function projectPerson(payload: Uint8Array) {
  const { record, ...rest } = provider.project('people', payload)
  if (!('member_urn' in record)) throw new Error('not a person')
  return { record, ...rest }
}

function companyOf(payload: Uint8Array) {
  const { record } = provider.project('companies', payload)
  if ('member_urn' in record) throw new Error('not a company')
  return record
}

describe('a fictional profile', () => {
  test('becomes one group per company, current first, returns merged by number or slug', () => {
    const { experience } = personOf(person)

    expect(experience.map((group) => [group.company_name, group.company_id, group.company_url])).toEqual([
      ['North Light AS', '7700', 'https://www.linkedin.com/company/north-light'],
      ['Somewhere & Co', null, null],
      ['Old Light Ltd', null, 'https://www.linkedin.com/company/old-light'],
    ])
    expect(experience.map((group) => group.positions.map((position) => position.title))).toEqual([
      ['Keeper in chief', 'Adviser'],
      ['Guest'],
      ['Keeper'],
    ])
  })

  test('keeps dates exactly as precise as they are written', () => {
    const { experience, education } = personOf(person)

    const spans = experience.map(({ date_range: range }) => [range?.start?.iso, range?.end?.iso])
    expect(spans).toEqual([
      ['2015-01', undefined],
      ['2017-07', '2017-07'],
      ['2003', '2006-02'],
    ])
    expect(education[0]?.date_range).toEqual({
      start: { year: 1999, month: null, day: null, iso: '1999' },
      end: { year: 2002, month: null, day: null, iso: '2002' },
    })
  })

  test('fills everything that HarvestAPI knows', () => {
    const record = personOf(person)

    expect(record).toMatchObject({
      entity_urn: 'urn:li:fsd_profile:ACoAAABxyzAda0Wintergreen',
      public_identifier: 'ada-wintergreen',
      first_name: 'Ada',
      last_name: 'Wintergreen',
      headline: 'Keeper of lighthouses',
      summary: 'Light.\n\nMore light.',
      industry: null,
      profile_photo_url: 'https://media.example/ada.jpg',
      background_photo_url: 'https://media.example/sea.jpg',
      profile_url: 'https://www.linkedin.com/in/ada-wintergreen',
      websites: ['https://www.linkedin.com/in/ada-wintergreen'],
      is_memorialized: false,
      location: { name: 'Bergen, Vestland, Norway', city: 'Bergen', country: 'Norway', country_code: 'NO' },
      network_info: { followers_count: 1204, connections_count: 12, custom_action: null },
      badges: {
        premium: true,
        creator: false,
        influencer: false,
        top_voice: false,
        open_to_work: true,
        is_hiring: false,
      },
      verifications: { is_verified: false, joined_date: 'March 2011', sections: [] },
      contact_info: {
        email_address: 'ada@lights.example',
        websites: [{ url: 'lights.example', type: null, label: null }],
        twitter_handles: [],
        phone_numbers: [],
        birth_date: null,
        address: null,
      },
      skills: ['Lenses', 'Fog'],
    })
    expect(record.experience[0]).toMatchObject({
      company_logo_url: 'https://media.example/north.png',
      company_employee_count_range: { start: null, end: null },
      workplace_type: 'onsite',
      positions: [{ description: 'Kept it lit.', location_name: 'Bergen', employment_type: 'Full-time' }, {}],
    })
  })

  test('has its ten sections in the one shape of sections', () => {
    const record = personOf(person)
    const empty = {
      description: null,
      url: null,
      image_url: null,
      company: null,
      company_id: null,
      position_held: null,
    }
    const date = (iso: string, year: number, month: number | null, day: number | null) => ({ year, month, day, iso })
    const named = (name: string) => ({ name, title: name, ...empty, date_range: null })

    expect(record.certifications).toEqual([
      {
        ...named('Lens grinder'),
        company: 'Lens Guild',
        company_id: '99',
        date_range: { start: date('2023-09', 2023, 9, null), end: date('2026-09', 2026, 9, null) },
      },
    ])
    expect(record.courses).toEqual([{ ...named('Fog I'), company: 'Fjord Polytechnic', company_id: '4242' }])
    expect(record.publications).toEqual([
      {
        ...named('On fog'),
        url: 'https://mist.example/5',
        company: 'Journal of Mist',
        date_range: { start: date('2021-09-05', 2021, 9, 5), end: date('2021-09-05', 2021, 9, 5) },
      },
    ])
    expect(record.honors).toEqual([
      {
        ...named('Golden Lamp'),
        date_range: { start: date('2004-10', 2004, 10, null), end: date('2004-10', 2004, 10, null) },
      },
    ])
    expect(record.languages).toEqual([{ ...named('Norwegian'), proficiency: 'Native' }])
    expect(record.volunteer_experiences).toEqual([
      { ...named('Lifeguard'), company: 'Coast Watch', position_held: 'Lifeguard' },
    ])
    expect([record.organizations, record.patents, record.projects, record.test_scores]).toEqual([[], [], [], []])
  })

  test('is the same record with or without its envelope', () => {
    const bare = provider.project('people', bytes(person))

    expect(provider.project('people', bytes({ element: person, status: 200, cost: 4 })).record).toEqual(bare.record)
    expect(provider.project('people', bytes([{ ...person, status: 200 }])).record).toEqual(bare.record)
  })

  test('takes the member number out of a member id that holds one, and derives a stable key from any other', () => {
    const number = Buffer.from('002a0000000030390102030405060708090a0b0c0d0e0f101112131415', 'hex').toString(
      'base64url',
    )

    expect(projectPerson(bytes({ ...person, id: number })).identity).toMatchObject({
      key: 'urn:li:member:12345',
      derived: false,
    })
    const derived = projectPerson(bytes(person)).identity
    expect(derived.key).toMatch(/^urn:vitae:person:[0-9a-f]{16}$/)
    expect(derived).toEqual({
      key: projectPerson(bytes({ ...person, publicIdentifier: 'moved' })).identity.key,
      derived: true,
      aliases: [
        { type: 'opaque', value: 'ACoAAABxyzAda0Wintergreen' },
        { type: 'slug', value: 'ada-wintergreen' },
      ],
    })
  })
})

test('a fictional company fills everything that HarvestAPI knows of one', () => {
  const place = { country: null, geographic_area: null, city: null, postal_code: null, address_line1: null }
  const bergen = {
    ...place,
    country: 'no',
    city: 'Bergen',
    postal_code: '5003',
    address_line1: 'Pier 4',
    is_headquarter: false,
  }
  const oban = { ...place, country: 'gb', geographic_area: 'Scotland', city: 'Oban', is_headquarter: true }

  expect(companyOf(bytes({ element: company }))).toEqual({
    company_id: '7700',
    public_identifier: 'north-light',
    company_name: 'North Light AS',
    tagline: null,
    description: 'Lights.',
    company_type: { type_code: 'SELF_OWNED', type_name: 'Sole Proprietorship' },
    locations: { headquarter: oban, all_locations: [bergen, oban] },
    industries: [
      { id: '96', name: 'Maritime' },
      { id: null, name: 'Optics' },
      { id: '3131', name: 'Fog' },
    ],
    specialities: ['Lamps'],
    staff_info: { staff_count: 61, staff_range: { start: 11, end: 50 } },
    followers_count: 5,
    founded_on: { year: 1188, month: null, day: null },
    platform_url: 'https://www.linkedin.com/showcase/north-light',
    company_url: 'northlight.example',
    logo_url: 'https://media.example/logo.png',
    background_photo_url: 'https://media.example/cover.png',
    cover_image_url: null,
    call_to_action: { text: null, url: 'https://northlight.example/visit' },
    phone_number: '+47 555 0100',
    auto_generated: false,
    claimable: null,
    is_paid: null,
    is_showcase: true,
    funding_data: {
      num_of_funding_rounds: 2,
      last_funding_round: {
        funding_type: 'SERIES_B',
        money_raised: { amount: 5_000_000_000, currency: 'nok' },
        announced_on: { year: 2024, month: 8, day: 1 },
        lead_investors: [{ name: 'Foghorn Capital', logo: null, investor_url: 'https://fund.example/foghorn' }],
        num_of_other_investors: 3,
        round_url: 'https://fund.example/round',
      },
    },
    showcase_pages: null,
    affiliated_companies: null,
  })
})

test('a company without lists has empty ones where HarvestAPI supplies them and null where it does not', () => {
  const record = companyOf(bytes({ id: '1', name: 'Bare' }))

  expect(record).toMatchObject({
    locations: { headquarter: null, all_locations: [] },
    industries: [],
    specialities: [],
    funding_data: null,
    showcase_pages: null,
    affiliated_companies: null,
  })
})

test.each([
  [{}],
  [{ element: null, entityId: 'x', status: 200 }],
  [{ error: 'boom' }],
  [[]],
  ['text'],
  [{ headline: 'Nobody' }],
])('a payload that names nobody is unusable: %j', (payload) => {
  expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  expect(() => provider.project('companies', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
})

test('a name without any id still has a key of its own, which namesakes do not share', () => {
  const one = projectPerson(bytes({ firstName: 'Sam', headline: 'Baker' })).identity
  const two = projectPerson(bytes({ firstName: 'Sam', headline: 'Butcher' })).identity

  expect(one.derived).toBe(true)
  expect(one.key).not.toBe(two.key)
})

describe('on the wire', () => {
  test.each([
    ['people', 'slug', 'ada-wintergreen', '/linkedin/profile?publicIdentifier=ada-wintergreen'],
    ['people', 'opaque', 'ACoAAABxyz', '/linkedin/profile?profileId=ACoAAABxyz'],
    ['companies', 'slug', 'north-light', '/linkedin/company?universalName=north-light'],
    ['companies', 'id', '7700', '/linkedin/company?companyId=7700'],
  ] as const)('%s by %s are asked for with the key in a header only', async (kind, type, value, path) => {
    const { send, requests } = scriptedSend({ body: { element: person, cost: 2 } })

    const verdict = await provider.ask(askFor(kind, type, value, { fresh: true, maxAgeDays: 0 }), send)

    expect(verdict).toMatchObject({ outcome: 'found', cost: 2 })
    expect(requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([`GET ${harvestapiDefaultUrl}${path}`])
    expect(requests[0]?.headers).toMatchObject({ 'x-api-key': 'secret-key' })
    expect(String(requests[0]?.url)).not.toContain('secret-key')
  })

  test.each([
    ['a 404', { status: 404, body: { error: 'Profile not found' } }],
    ['a 404 inside a 200', { body: { element: null, status: 404, error: 'Not Found' } }],
    ['an error text inside a 200', { body: { error: { error: 'Profile does not exist' } } }],
    ['no element', { body: { element: null, status: 200, entityId: null } }],
    ['an empty element', { body: { element: {}, status: 200 } }],
  ])('%s means that there is no such record', async (_, reply) => {
    const verdict = await provider.ask(askFor('people', 'slug', 'nobody'), scriptedSend(reply).send)

    expect(verdict.outcome).toBe('not_found')
    expect(verdict.answer.body.length).toBeGreaterThan(0)
  })

  test.each([
    ['a bad key', { status: 401, body: { error: 'Unauthorized' } }, { kind: 'rejected' }],
    ['no credits left', { status: 402, body: { error: 'Payment required' } }, { kind: 'rejected' }],
    ['a closed door', { status: 403, body: '' }, { kind: 'rejected' }],
    ['no credits left inside a 200', { body: { status: 402, error: 'x' } }, { kind: 'rejected' }],
    ['no credits left in words', { body: { error: 'Insufficient credits' } }, { kind: 'rejected' }],
    [
      'too many calls',
      { status: 429, headers: { 'Retry-After': '7' }, body: '' },
      { kind: 'limited', retryAfterSeconds: 7 },
    ],
    ['too many calls at once', { status: 400, body: { error: 'Concurrency limit reached' } }, { kind: 'limited' }],
    ['a failure', { status: 503, body: '' }, { kind: 'unavailable' }],
    ['a failure inside a 200', { body: { status: 500, error: 'x' } }, { kind: 'unavailable' }],
    ['a web page', { body: '<html>hello</html>' }, { kind: 'invalid' }],
    ['a web page with 404', { status: 404, body: '<html>nginx</html>' }, { kind: 'invalid' }],
    ['half a body', { body: '{"element": {"id": "AC' }, { kind: 'invalid' }],
    ['a list', { body: [1] }, { kind: 'invalid' }],
    ['an unknown complaint', { body: { error: 'teapot' } }, { kind: 'invalid' }],
    ['a refused request', { status: 400, body: { error: 'bad url' } }, { kind: 'invalid' }],
  ])('%s is a fault that keeps the answer', async (_, reply, fault) => {
    const asking = provider.ask(askFor('people', 'slug', 'ada'), scriptedSend(reply).send)

    await expect(asking).rejects.toMatchObject({ ...fault, name: 'UpstreamFault', answer: rawAnswer(reply) })
    await expect(asking).rejects.not.toThrow(/secret-key/)
  })
})

describe('laws', () => {
  test('every field that is filled is declared, and every declared field exists', () => {
    expectDeclared(provider, 'people', provider.project('people', bytes(person)))
    expectDeclared(provider, 'companies', provider.project('companies', bytes(company)))
    expectKnownPaths('people', provider.supplies.people)
    expectKnownPaths('companies', provider.supplies.companies)
  })

  test('payloads never seen before are mapped lawfully or refused', { timeout: 300_000 }, () => {
    const payloads = (kind: string) => [...real].flatMap(([file, payload]) => (kindOf(file) === kind ? [payload] : []))
    expectSturdy(provider, 'people', [bytes(person), bytes({ element: person }), ...payloads('people')])
    expectSturdy(provider, 'companies', [bytes(company), bytes({ element: company }), ...payloads('companies')])
  })
})

describe.skipIf(real.size === 0)('the real payloads', () => {
  const payload = (file: string) => real.get(file) ?? new Uint8Array()
  const source = (file: string) => JSON.parse(new TextDecoder().decode(payload(file)))

  test('are all lawful and declared', () => {
    for (const [file, content] of real) {
      const projection = provider.project(kindOf(file), content)
      expectValidProjection(kindOf(file), projection)
      expectDeclared(provider, kindOf(file), projection)
    }
  })

  test('person-1: ten flat positions are five groups, one of them current', () => {
    const { record, identity } = projectPerson(payload('person-1'))
    const { experience } = record
    const raw = source('person-1')

    expect(experience.map((group) => group.positions.length)).toEqual([4, 1, 1, 3, 1])
    expect(experience.map((group) => group.date_range?.end === null)).toEqual([true, false, false, false, false])
    expect(fingerprint(experience.map((group) => group.date_range?.start?.iso))).toBe('145e25c45712')
    expect(experience.map((group) => group.company_id)).toEqual([
      raw.experience[0].companyId,
      null,
      raw.experience[5].companyId,
      raw.experience[6].companyId,
      null,
    ])
    expect(experience.map((group) => group.company_url !== null)).toEqual([true, false, true, true, false])
    expect(experience.map((group) => group.workplace_type)).toEqual(['onsite', 'hybrid', 'hybrid', 'onsite', null])
    expect(experience[0]?.positions.map((position) => position.employment_type)).toEqual(
      raw.experience.slice(0, 4).map((row: { employmentType: string }) => row.employmentType),
    )
    expect(identity.derived).toBe(true)
    expect(record.entity_urn).toBe(`urn:li:fsd_profile:${raw.id}`)
  })

  test('person-1: the other parts', () => {
    const { record } = projectPerson(payload('person-1'))
    const raw = source('person-1')

    expect(record.location.country_code).toBe('US')
    expect(record.verifications).toMatchObject({ is_verified: true, sections: [] })
    expect(fingerprint([record.verifications?.joined_date])).toBe('092f3f2a9d7b')
    expect(record.network_info).toMatchObject({
      connections_count: raw.connectionsCount,
      followers_count: raw.followerCount,
    })
    expect(record.education.map((school) => school.school_id)).toEqual(
      raw.education.map((school: { schoolLinkedinUrl: string }) => /\d+/.exec(school.schoolLinkedinUrl)?.[0]),
    )
    expect(record.education.map((school) => school.company_id)).toEqual(
      record.education.map((school) => school.school_id),
    )
    expect(record.education.at(-1)?.date_range?.start?.iso).toMatch(/^\d{4}$/)
    expect(record.skills.length).toBe(raw.skills.length)
    expect(fingerprint(record.certifications.map((item) => item.date_range?.start?.iso))).toBe('14904d27ee67')
    expect(record.courses.every((item) => item.company !== null && !/associated with/i.test(item.company))).toBe(true)
    expect(fingerprint(record.publications.map((item) => item.date_range?.start?.iso))).toBe('8128fa6794bb')
    expect(record.publications[0]?.company).toMatch(/^[\w ]+$/)
    expect(fingerprint(record.volunteer_experiences.map((item) => item.date_range?.start?.iso))).toBe('51794379be68')
    expect([record.honors.length, record.languages.length, record.projects.length]).toEqual([2, 3, 2])
  })

  test('company-1: size, places, funding', () => {
    const record = companyOf(payload('company-1'))

    expect(record.company_id).toMatch(/^\d+$/)
    expect(record.company_type).toEqual({ type_code: 'PUBLIC_COMPANY', type_name: 'Public Company' })
    expect(record.staff_info).toEqual({ staff_count: 16_985, staff_range: { start: 10_001, end: null } })
    expect(record.locations?.all_locations?.map((place) => place.country)).toEqual([
      'us',
      'us',
      'br',
      'us',
      'nl',
      'sg',
      'mx',
    ])
    expect(record.locations?.headquarter).toEqual(record.locations?.all_locations?.[0])
    expect(record.industries).toEqual([{ id: null, name: source('company-1').industries[0] }])
    expect(record.founded_on).toEqual({ year: 1997, month: null, day: null })
    expect(record.funding_data).toMatchObject({
      num_of_funding_rounds: 15,
      last_funding_round: {
        money_raised: { amount: 1_800_000_000, currency: 'usd' },
        announced_on: { year: 2024, month: 8, day: 1 },
        lead_investors: [],
        num_of_other_investors: 0,
      },
    })
  })
})
