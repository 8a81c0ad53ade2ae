import { describe, expect, test } from 'vitest'
import { brightdata, brightdataDefaultUrl } from '../../../src/providers/brightdata/brightdata.ts'
import { company, person } from '../fixtures/brightdata.ts'
import { expectSturdy } from '../mutations.ts'
import { expectDeclared, expectKnownPaths, expectLawful } from '../record-laws.ts'
import { askFor, rawAnswer, scriptedSend } from '../scripted-send.ts'
import { fingerprint, kindOf, sharedPayloads } from '../shared-payloads.ts'

const provider = brightdata({ url: brightdataDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const real = sharedPayloads('brightdata')

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
  test('has rows of both shapes in one group per company, current first', () => {
    const { experience } = projectPerson(bytes(person)).record

    const shown = experience.map((group) => ({
      name: group.company_name,
      url: group.company_url,
      logo: group.company_logo_url,
      span: [group.date_range?.start?.iso, group.date_range?.end?.iso],
      positions: group.positions.map(({ title, location_name: place, date_range: range }) => [
        title,
        place,
        range?.start?.iso,
        range?.end?.iso,
      ]),
    }))
    expect(shown).toEqual([
      {
        name: 'Boat without a page',
        url: null,
        logo: null,
        span: ['2020', undefined],
        positions: [['Sailor', null, '2020', undefined]],
      },
      {
        name: 'Rope Works',
        url: 'https://www.linkedin.com/company/rope-works',
        logo: 'https://media.example/rope.png',
        span: ['2019-08', undefined],
        positions: [['Rope walker', null, '2019-08', undefined]],
      },
      {
        name: 'The Harbour Office',
        url: 'https://www.linkedin.com/company/harbour-office',
        logo: 'https://media.example/harbour.png',
        span: ['2012', '2019-07'],
        positions: [
          ['Chief pilot', null, '2017-02', '2019-07'],
          ['Pilot', 'Lisbon', '2014-01', '2015-07'],
          ['Clerk', 'Faro', '2012', '2014-01'],
        ],
      },
    ])
    expect(experience.every((group) => group.company_id === null)).toBe(true)
  })

  test('is plain text with the lines of the page', () => {
    const { record } = projectPerson(bytes(person))

    expect(record.headline).toBe('Ships & ropes')
    expect(record.summary).toBe("Ropes.\n\nIt's <all> ropes.")
    expect(record.experience[1]?.positions[0]?.description).toBe('Walks.\nRopes.')
  })

  test('fills everything that Bright Data knows', () => {
    const { record, identity, sourceUpdatedAt } = projectPerson(bytes(person))

    expect(record).toMatchObject({
      member_urn: 'urn:li:member:31415926',
      entity_urn: null,
      public_identifier: 'bo-harbour',
      first_name: 'Bo',
      last_name: 'van der Harbour',
      profile_photo_url: 'https://media.example/bo.jpg',
      background_photo_url: null,
      profile_url: 'https://www.linkedin.com/in/bo-harbour',
      location: { name: 'Porto, Portugal', city: 'Porto', country: 'Portugal', country_code: 'PT' },
      network_info: { followers_count: 680, connections_count: 500, custom_action: null },
      verifications: null,
      contact_info: null,
      skills: [],
    })
    expect(record.education).toMatchObject([
      {
        school_name: 'School of Knots',
        school_id: null,
        school_url: 'https://www.linkedin.com/school/school-of-knots',
        school_logo_url: 'https://media.example/knots.png',
        degree: 'BSc',
        field_of_study: 'Knots',
        grade: '17/20',
        activities: 'Bowline Club',
        description: 'Tied a lot.',
        date_range: { start: { iso: '1999' }, end: { iso: '2003' } },
      },
      { school_name: 'Lakeside', date_range: null },
    ])
    expect(identity).toEqual({
      key: 'urn:li:member:31415926',
      derived: false,
      aliases: [
        { type: 'urn', value: 'urn:li:member:31415926' },
        { type: 'member', value: '31415926' },
        { type: 'slug', value: 'bo-harbour' },
      ],
    })
    expect(sourceUpdatedAt).toBe(Date.UTC(2025, 11, 22, 16, 16, 42, 901))
  })

  test('has its sections in the one shape, and no precision that the page has not', () => {
    const { record } = projectPerson(bytes(person))
    const dates = (items: typeof record.honors) =>
      items.map(({ name, company: by, date_range: range }) => [name, by, range?.start?.iso, range?.end?.iso])

    expect(dates(record.certifications)).toEqual([['Master of Knots', 'Knot Guild', '2017-10', undefined]])
    expect(dates(record.honors)).toEqual([
      ['Best Splice', 'Splicers', '2018-10', '2018-10'],
      ['Old Hand', null, '2013', '2013'],
    ])
    expect(dates(record.publications)).toEqual([['Hitch', 'Rope Monthly', '2020-05-28', '2020-05-28']])
    expect(record.organizations).toMatchObject([
      { name: 'Rope Society', position_held: 'Treasurer', date_range: { end: null } },
    ])
    expect(record.languages.map(({ name, proficiency }) => [name, proficiency])).toEqual([
      ['Portuguese', 'Native'],
      ['Danish', null],
    ])
    expect(record.volunteer_experiences).toMatchObject([
      { name: 'Crew', company: 'Lifeboat', position_held: 'Crew', description: 'Rowed.', url: null },
    ])
    expect(record.certifications[0]?.url).toBe('https://knots.example/1')
  })

  test('is the same bare, in a list, and one per line', () => {
    const { record } = provider.project('people', bytes(person))
    const other = { error: 'x', error_code: 'timeout' }

    expect(provider.project('people', bytes([person])).record).toEqual(record)
    expect(provider.project('people', bytes(`${JSON.stringify(other)}\n${JSON.stringify(person)}\n`)).record).toEqual(
      record,
    )
  })

  test('has no place that is the label of a button, and no city that is an area', () => {
    const at = (city: string, more: object = {}) =>
      projectPerson(bytes({ ...person, location: null, country_code: null, city, ...more })).record.location

    expect(at('Contact Info')).toEqual({ name: null, city: null, country: null, country_code: null })
    expect(at('Porto Metropolitan Area', { country_code: 'PT,ES' })).toMatchObject({ city: null, country_code: 'PT' })
    expect(at('Vigo, Galicia, Spain')).toEqual({
      name: 'Vigo, Galicia, Spain',
      city: 'Vigo',
      country: 'Spain',
      country_code: 'ES',
    })
  })
})

test('a fictional company fills everything that Bright Data knows of one', () => {
  const summary = { entity_urn: null, description: null, logo_url: null, followers_count: null, is_paid: null }
  const place = { geographic_area: null, city: null, postal_code: null, address_line1: null, is_headquarter: false }
  const porto = {
    country: 'pt',
    geographic_area: 'Norte',
    city: 'Porto',
    postal_code: '4050-297',
    address_line1: 'Quay 9, Floor 2',
    is_headquarter: true,
  }

  expect(companyOf(bytes([company]))).toEqual({
    company_id: '16180339',
    public_identifier: 'rope-works',
    company_name: 'Rope Works',
    tagline: 'Hold on',
    description: 'Ropes & lines.',
    company_type: { type_code: 'PRIVATELY_HELD', type_name: 'Privately Held' },
    locations: {
      headquarter: porto,
      all_locations: [
        porto,
        { ...place, country: 'es', city: 'Vigo', postal_code: '36201' },
        { ...place, country: 'sg' },
      ],
    },
    industries: [{ id: null, name: 'Rope, Line and Twine' }],
    specialities: ['Rope', 'Line', 'Twine and String', 'Research and Development'],
    staff_info: { staff_count: 254, staff_range: { start: 5001, end: 10_000 } },
    followers_count: 1557,
    founded_on: { year: 1851, month: null, day: null },
    platform_url: 'https://www.linkedin.com/company/rope-works',
    company_url: 'https://rope.example/',
    logo_url: 'https://media.example/logo.png',
    background_photo_url: null,
    cover_image_url: 'https://media.example/cover.png',
    call_to_action: null,
    phone_number: null,
    auto_generated: null,
    claimable: null,
    is_paid: null,
    is_showcase: false,
    funding_data: {
      num_of_funding_rounds: 4,
      last_funding_round: {
        funding_type: 'Series D',
        money_raised: { amount: 391_500, currency: 'usd' },
        announced_on: { year: 2019, month: 7, day: 10 },
        lead_investors: null,
        num_of_other_investors: null,
        round_url: null,
      },
    },
    showcase_pages: [
      {
        ...summary,
        company_name: 'Rope Works Deep Sea',
        public_identifier: 'rope-works-deep-sea',
        company_url: 'https://www.linkedin.com/showcase/rope-works-deep-sea',
        industries: [],
        is_showcase: true,
      },
    ],
    affiliated_companies: [
      {
        ...summary,
        company_name: 'Twine Works',
        public_identifier: 'twine-works',
        company_url: 'https://www.linkedin.com/company/twine-works',
        industries: [{ id: null, name: 'Twine' }],
        is_showcase: false,
      },
    ],
  })
})

test('where a company has no addresses its headquarters line is one', () => {
  const record = companyOf(bytes({ id: 'x', headquarters: 'Chicago, IL', country_code: 'US' }))

  expect(record.locations?.headquarter).toMatchObject({ country: 'us', geographic_area: 'IL', city: 'Chicago' })
  expect(record.locations?.all_locations).toEqual([record.locations?.headquarter])
})

test.each([
  [{}],
  [[]],
  [[{ error: 'x', error_code: 'dead_page' }]],
  ['text'],
  ['{"a":1}\n{"b"'],
  [{ about: 'Nobody' }],
])('a payload that names nobody is unusable: %j', (payload) => {
  expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  expect(() => provider.project('companies', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
})

describe('on the wire', () => {
  const dataset = { people: 'gd_l1viktl72bvl7bjuj0', companies: 'gd_l1vikfnt1wgvvqz95w' }

  test.each([
    ['people', 'slug', 'bo-harbour', 'https://www.linkedin.com/in/bo-harbour'],
    ['people', 'opaque', 'ACoAAABxyz', 'https://www.linkedin.com/in/ACoAAABxyz'],
    ['companies', 'slug', 'rope-works', 'https://www.linkedin.com/company/rope-works'],
    ['companies', 'id', '16180339', 'https://www.linkedin.com/company/16180339'],
  ] as const)('%s by %s are asked for by page, with the key in a header only', async (kind, type, value, page) => {
    const { send, requests } = scriptedSend({ body: [person] })

    const verdict = await provider.ask(askFor(kind, type, value), send)

    expect(verdict.outcome).toBe('found')
    expect(requests.map(({ method, url, body }) => [method, String(url), body])).toEqual([
      [
        'POST',
        `${brightdataDefaultUrl}/datasets/v3/scrape?dataset_id=${dataset[kind]}&format=json&include_errors=true`,
        JSON.stringify([{ url: page }]),
      ],
    ])
    expect(requests[0]?.headers.authorization).toBe('Bearer secret-key')
  })

  test('a slow page becomes a snapshot, which is asked for until it is there', async () => {
    const soon = { 'retry-after': '0' }
    const { send, requests } = scriptedSend(
      { status: 202, headers: soon, body: { snapshot_id: 's_1', message: 'later' } },
      { headers: soon, body: { status: 'running', snapshot_id: 's_1' } },
      { headers: soon, body: { status: 'ready', snapshot_id: 's_1' } },
      { status: 202, headers: soon, body: { status: 'building' } },
      { headers: soon, body: { status: 'ready' } },
      { headers: soon, body: { status: 'building', message: 'try again' } },
      { headers: soon, body: { status: 'ready' } },
      { body: [person] },
    )

    const verdict = await provider.ask(askFor('people', 'slug', 'bo-harbour'), send)

    expect(verdict).toMatchObject({ outcome: 'found', answer: rawAnswer({ body: [person] }) })
    const paths = requests.slice(1).map(({ method, url }) => `${method} ${url.pathname}`)
    const [progress, snapshot] = ['GET /datasets/v3/progress/s_1', 'GET /datasets/v3/snapshot/s_1']
    expect(paths).toEqual([progress, progress, snapshot, progress, snapshot, progress, snapshot])
    expect(requests.every((request) => request.headers.authorization === 'Bearer secret-key')).toBe(true)
  })

  test('a caller who gives up is not kept waiting for a snapshot', async () => {
    const promise = { status: 202, headers: { 'retry-after': '3600' }, body: { snapshot_id: 's_1' } }
    const { send, requests } = scriptedSend(promise)
    const signal = AbortSignal.timeout(20)

    const asking = provider.ask(askFor('people', 'slug', 'bo-harbour', { signal }), send)

    await expect(asking).rejects.toMatchObject({ kind: 'timeout', answer: rawAnswer(promise) })
    expect(requests.length).toBe(1)
  })

  test.each([
    ['failed', { body: { status: 'failed', error_message: 'x' } }, 'unavailable'],
    ['cancelled', { body: { status: 'canceled' } }, 'unavailable'],
    ['lost', { status: 404, body: 'Snapshot does not exist' }, 'invalid'],
    ['forbidden', { status: 401, body: '' }, 'rejected'],
    ['nonsense', { body: 'hm' }, 'invalid'],
  ])('a snapshot that is %s is a fault', async (_, progress, kind) => {
    const promise = { status: 202, headers: { 'retry-after': '0' }, body: { snapshot_id: 's_1' } }

    const asking = provider.ask(askFor('people', 'slug', 'bo'), scriptedSend(promise, progress).send)

    await expect(asking).rejects.toMatchObject({ name: 'UpstreamFault', kind, answer: rawAnswer(progress) })
  })

  test.each([
    ['a dead page', { body: [{ error: '4XX page - dead page.', error_code: 'dead_page', input: {} }] }],
    ['an error in words', { body: [{ error: 'Page not found' }] }],
    ['no row', { body: [] }],
    ['a warning without a record', { body: [{ warning: 'gone', warning_code: 'dead_page', timestamp: 'x' }] }],
    ['a plain 404', { status: 404, body: { error: 'not found' } }],
  ])('%s means that there is no such record', async (_, reply) => {
    const verdict = await provider.ask(askFor('people', 'slug', 'nobody'), scriptedSend(reply).send)

    expect(verdict).toMatchObject({ outcome: 'not_found', cost: null })
  })

  test.each([
    ['a bad key', { status: 401, body: '' }, { kind: 'rejected' }],
    ['no credits left', { status: 402, body: 'Payment required' }, { kind: 'rejected' }],
    ['a closed door', { status: 403, body: '' }, { kind: 'rejected' }],
    [
      'too many calls',
      { status: 429, headers: { 'retry-after': '30' }, body: '' },
      { kind: 'limited', retryAfterSeconds: 30 },
    ],
    ['a failure', { status: 500, body: '' }, { kind: 'unavailable' }],
    [
      'a page that could not be read',
      { body: [{ error: 'Crawl failed', error_code: 'crawl_failed' }] },
      { kind: 'unavailable' },
    ],
    ['a refused input', { body: [{ error: 'Wrong input', error_code: 'bad_input' }] }, { kind: 'invalid' }],
    ['a missing data set', { status: 404, body: 'dataset does not exist' }, { kind: 'invalid' }],
    ['a refused request', { status: 400, body: { validation_errors: ['x'] } }, { kind: 'invalid' }],
    ['a promise without an address', { status: 202, body: { message: 'later' } }, { kind: 'invalid' }],
    ['a web page', { body: '<html></html>' }, { kind: 'invalid' }],
    ['a row about nobody', { body: [{ about: 'x' }] }, { kind: 'invalid' }],
    ['half a body', { body: '[{"id": "bo' }, { kind: 'invalid' }],
  ])('%s is a fault that keeps the answer', async (_, reply, fault) => {
    const asking = provider.ask(askFor('people', 'slug', 'bo'), scriptedSend(reply).send)

    await expect(asking).rejects.toMatchObject({ ...fault, name: 'UpstreamFault', answer: rawAnswer(reply) })
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
    expectSturdy(provider, 'people', [bytes(person), bytes([person]), ...payloads('people')])
    expectSturdy(provider, 'companies', [bytes(company), bytes([company]), ...payloads('companies')])
  })
})

describe.skipIf(real.size === 0)('the real payloads', () => {
  const payload = (file: string) => real.get(file) ?? new Uint8Array()
  const source = (file: string) => JSON.parse(new TextDecoder().decode(payload(file)))

  test('are all lawful and declared', () => {
    for (const [file, content] of real) {
      const projection = provider.project(kindOf(file), content)
      expectLawful(kindOf(file), projection)
      expectDeclared(provider, kindOf(file), projection)
      expect(projection.sourceUpdatedAt).toBe(Date.parse(source(file).timestamp))
    }
  })

  test('person-1: sixteen rows are fifteen groups, eight of them current', () => {
    const { record, identity } = projectPerson(payload('person-1'))
    const { experience } = record

    expect(source('person-1').experience.length).toBe(16)
    expect(experience.length).toBe(15)
    expect(experience.filter((group) => group.date_range?.end === null).length).toBe(8)
    expect(experience.map((group) => group.positions.length)).toEqual([...Array(10).fill(1), 3, 3, 1, 1, 1])
    expect(fingerprint(experience.map((group) => group.date_range?.start?.iso))).toBe('6bb2e7b4c72f')
    expect(fingerprint([experience[10]?.date_range?.end?.iso])).toBe('f127eb1a1002')
    expect(fingerprint(experience[10]?.positions.map((position) => position.date_range?.end?.iso) ?? [])).toBe(
      'a63f8d0bffaf',
    )
    expect(
      experience.every((group) => group.company_id === null && !/[?]|\/\/(?!www)/.test(group.company_url ?? '')),
    ).toBe(true)
    expect(identity.key).toBe(`urn:li:member:${source('person-1').linkedin_num_id}`)
  })

  test('person-1: the other parts', () => {
    const { record } = projectPerson(payload('person-1'))

    expect(record.summary).not.toMatch(/<br>|&#/)
    expect(record.summary?.split('\n').length).toBeGreaterThan(3)
    expect(record.location).toMatchObject({ city: null, country_code: 'US' })
    expect(record.network_info?.connections_count).toBe(500)
    expect(record.education[0]?.activities).not.toMatch(/activities/i)
    expect(record.education[0]?.description).toBeNull()
    expect(fingerprint(record.certifications.map((item) => item.date_range?.start?.iso))).toBe('c3d8796eb62f')
    expect(fingerprint(record.honors.map((item) => item.date_range?.start?.iso))).toBe('5e8f4833876e')
    expect(record.publications.length).toBe(19)
    expect(fingerprint([record.publications[0]?.date_range?.start?.iso])).toBe('af98a5f37d42')
    expect(record.organizations.every((item) => item.date_range?.end === null)).toBe(true)
  })

  test('person-2: three current groups by later start, with years only', () => {
    const { record } = projectPerson(payload('person-2'))

    expect(fingerprint(record.experience.map((group) => group.date_range?.start?.iso))).toBe('45860623c779')
    expect(record.experience.every((group) => group.date_range?.end === null)).toBe(true)
    expect(fingerprint(record.education.map((school) => school.date_range?.end?.iso))).toBe('d5e5f21ee6c9')
    expect(record.location).toMatchObject({ city: source('person-2').location, country_code: 'US' })
  })

  test.each([
    ['company-1', 'PUBLIC_COMPANY', { start: 10_001, end: null }, 2015, 'us', 'IL', [4, 2]],
    ['company-2', 'PRIVATELY_HELD', { start: 201, end: 500 }, undefined, 'il', null, [1, 3]],
    ['company-3', 'SELF_OWNED', { start: 1, end: 1 }, 2016, 'il', null, [0, 0]],
  ])('%s: type, size, founding, place and affiliated pages', (file, type, range, year, country, area, pages) => {
    const record = companyOf(payload(file))

    expect(record.company_id).toMatch(/^\d+$/)
    expect(record.company_type?.type_code).toBe(type)
    expect(record.staff_info).toEqual({ staff_count: source(file).employees_in_linkedin, staff_range: range })
    expect(record.founded_on?.year).toBe(year)
    expect(record.locations?.headquarter).toMatchObject({ country, geographic_area: area, is_headquarter: true })
    expect(record.locations?.headquarter?.postal_code).toMatch(/^\d+$/)
    expect([record.showcase_pages?.length, record.affiliated_companies?.length]).toEqual(pages)
    expect(record.industries).toEqual([{ id: null, name: source(file).industries }])
  })

  test('company-1: funding', () => {
    expect(companyOf(payload('company-1')).funding_data).toMatchObject({
      num_of_funding_rounds: 1,
      last_funding_round: {
        money_raised: { amount: 20_000_000, currency: 'usd' },
        announced_on: { year: 2019, month: 7, day: 10 },
      },
    })
    expect(companyOf(payload('company-1')).specialities?.length).toBe(4)
    expect(companyOf(payload('company-2')).specialities?.length).toBe(13)
  })
})
