import fc from 'fast-check'
import { type Company, type ExperienceGroup, type Person, emptyCompany, emptyPerson } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { diffRecords, judgeChanges } from '../../../src/records/changes/judge-changes.ts'
import type { Change } from '../../../src/records/changes/diff-values.ts'
import { sampleCompany } from '../../../src/samples/sample-company.ts'
import { samplePerson } from '../../../src/samples/sample-answer.ts'

const date = (iso: string | null) =>
  iso === null ? null : { year: Number(iso.slice(0, 4)), month: Number(iso.slice(5, 7)) || null, day: null, iso }
const span = (start: string | null, end: string | null) => ({ start: date(start), end: date(end) })
interface Held {
  title: string
  start: string | null
  end?: string | null
}
function group(companyId: string | null, held: Held[], name = `Company ${companyId}`): ExperienceGroup {
  const ends = held.map((one) => one.end ?? null)
  return {
    company_name: name,
    company_id: companyId,
    company_url: null,
    company_logo_url: `https://cdn.example/${companyId}`,
    company_industry: null,
    company_employee_count_range: { start: null, end: null },
    workplace_type: null,
    date_range: span(held.at(-1)?.start ?? null, ends.includes(null) ? null : (ends[0] ?? null)),
    positions: held.map(({ title, start, end }) => ({
      title,
      description: null,
      location_name: null,
      employment_type: null,
      date_range: span(start, end ?? null),
    })),
  }
}
const person = (...experience: ExperienceGroup[]): Person => ({
  ...emptyPerson('urn:li:member:1'),
  headline: 'Engineer',
  experience,
})
const side = <R>(record: R, more: { provider?: string; thin?: boolean } = {}) => ({
  record,
  provider: 'mirror',
  thin: false,
  ...more,
})
const kinds = (changes: Change[]) => changes.map((change) => change.kind)
const diffPeople = (before: Person, after: Person, more = {}) => diffRecords('people', side(before), side(after, more))

const engineer = { title: 'Engineer', start: '2020-01' }
const ended = { ...engineer, end: '2023-05' }

describe('the history of a job', () => {
  test('leaving one company for another is a job change, by company id', () => {
    const changes = diffPeople(
      person(group('1', [engineer])),
      person(group('2', [{ title: 'Lead', start: '2023-06' }]), group('1', [ended])),
    )
    expect(changes[0]).toEqual({
      kind: 'job_change',
      path: 'experience',
      before: { company_id: '1', company_name: 'Company 1', title: 'Engineer' },
      after: { company_id: '2', company_name: 'Company 2', title: 'Lead' },
    })
    expect(changes.slice(1)).toEqual([
      { kind: 'field', path: 'experience[1].date_range.end', before: null, after: date('2023-05') },
      { kind: 'field', path: 'experience[1].positions[2020-01].date_range.end', before: null, after: date('2023-05') },
    ])
  })

  test('a renamed company is not a job change', () => {
    const changes = diffPeople(person(group('1', [engineer], 'Old')), person(group('1', [engineer], 'New')))
    expect(changes).toEqual([{ kind: 'field', path: 'experience[1].company_name', before: 'Old', after: 'New' }])
  })

  test('a second job is joined and nothing left; a lost one is left and nothing joined', () => {
    const one = person(group('1', [engineer]))
    const two = person(group('1', [engineer]), group('2', [{ title: 'Advisor', start: '2022-01' }]))
    expect(diffPeople(one, two)).toMatchObject([{ kind: 'job_change', before: null, after: { company_id: '2' } }])
    expect(diffPeople(two, one)).toMatchObject([{ kind: 'job_change', before: { company_id: '2' }, after: null }])
  })

  test('a new position at the same company is a promotion', () => {
    const after = person(
      group('1', [
        { title: 'Director', start: '2023-01' },
        { ...engineer, end: '2022-12' },
      ]),
    )
    const changes = diffPeople(person(group('1', [engineer])), after)
    expect(changes[0]).toMatchObject({
      kind: 'promotion',
      path: 'experience[1].positions[2023-01]',
      before: { title: 'Engineer' },
      after: { title: 'Director' },
    })
    expect(kinds(changes)).not.toContain('job_change')
  })

  test('an edited title, or an added past position, is not a promotion', () => {
    const edited = diffPeople(
      person(group('1', [engineer])),
      person(group('1', [{ ...engineer, title: 'Software Engineer' }])),
    )
    expect(edited).toEqual([
      { kind: 'field', path: 'experience[1].positions[2020-01].title', before: 'Engineer', after: 'Software Engineer' },
    ])
    const added = diffPeople(
      person(group('1', [engineer])),
      person(group('1', [engineer, { title: 'Intern', start: '2019-01', end: '2019-12' }])),
    )
    expect(new Set(kinds(added))).toEqual(new Set(['field']))
  })

  test('a new job at a former employer is a return', () => {
    const before = person(group('2', [{ title: 'Lead', start: '2023-06' }]), group('1', [ended]))
    const changes = diffPeople(
      before,
      person(
        group('1', [{ title: 'Head', start: '2026-01' }, ended]),
        group('2', [{ title: 'Lead', start: '2023-06', end: '2025-12' }]),
      ),
    )
    expect(changes.slice(0, 2)).toMatchObject([
      { kind: 'job_change', before: { company_id: '2' }, after: null },
      { kind: 'return', path: 'experience[1]', before: { title: 'Engineer' }, after: { title: 'Head' } },
    ])
  })

  test('a thin answer never means that all jobs ended or that a value was lost', () => {
    const full = person(group('1', [engineer]))
    const thin = { ...emptyPerson('urn:li:member:1'), first_name: 'Ada' }
    expect(diffPeople({ ...full, first_name: 'Ada' }, thin, { thin: true })).toEqual([])
    expect(diffRecords('people', side(thin, { thin: true }), side({ ...full, first_name: 'Ada' }))).toEqual([])
    expect(diffPeople({ ...full, first_name: 'Ada' }, { ...thin, first_name: 'Adah' }, { thin: true })).toMatchObject([
      { path: 'first_name', after: 'Adah' },
    ])
  })

  test('two providers differ in their source, and never in their jobs', () => {
    const other = { provider: 'other' }
    const moved = diffPeople(
      person(group('1', [engineer])),
      person(group('2', [{ title: 'Lead', start: '2023-06' }])),
      other,
    )
    expect(new Set(kinds(moved))).toEqual(new Set(['source_changed']))
    const headline = diffPeople(person(), { ...person(), headline: 'Other words' }, other)
    expect(headline).toEqual([{ kind: 'source_changed', path: 'headline', before: 'Engineer', after: 'Other words' }])
  })
})

describe('the differences of two records', () => {
  const company = (more: Partial<Company>): Company => ({ ...emptyCompany(), company_id: '1', ...more })

  test('are described', () => {
    const before = company({
      staff_info: { staff_count: 10, staff_range: null },
      funding_data: { num_of_funding_rounds: 1, last_funding_round: null },
      tagline: 'a',
    })
    const after = company({
      staff_info: { staff_count: 25, staff_range: null },
      funding_data: { num_of_funding_rounds: 2, last_funding_round: null },
      tagline: 'b',
    })
    expect(diffRecords('companies', side(before), side(after))).toEqual([
      { kind: 'field', path: 'tagline', before: 'a', after: 'b' },
      { kind: 'headcount', path: 'staff_info.staff_count', before: 10, after: 25 },
      { kind: 'funding', path: 'funding_data.num_of_funding_rounds', before: 1, after: 2 },
    ])
    const moved = {
      ...person(),
      headline: 'Lead',
      location: { name: 'Oslo', city: 'Oslo', country: null, country_code: null },
    }
    expect(diffPeople(person(), moved)).toEqual([
      { kind: 'headline', path: 'headline', before: 'Engineer', after: 'Lead' },
      { kind: 'location', path: 'location.name', before: null, after: 'Oslo' },
      { kind: 'location', path: 'location.city', before: null, after: 'Oslo' },
    ])
  })

  test('are reported element by element, in any order', () => {
    const changes = diffPeople({ ...person(), skills: ['a', 'b', 'c'] }, { ...person(), skills: ['c', 'b', 'd'] })
    expect(changes).toEqual([
      { kind: 'field', path: 'skills[a]', before: 'a', after: null },
      { kind: 'field', path: 'skills[d]', before: null, after: 'd' },
    ])
  })

  test('leave out image URLs, which expire', () => {
    const before = { ...person(group('1', [engineer])), profile_photo_url: 'https://cdn.example/1?e=1' }
    const after = {
      ...person({ ...group('1', [engineer]), company_logo_url: 'https://cdn.example/new' }),
      profile_photo_url: null,
    }
    expect(diffPeople(before, after)).toEqual([])
  })

  const slug = fc.stringMatching(/^[a-z]{3,9}$/)

  test('are empty for a record and itself, even at another provider', () => {
    fc.assert(
      fc.property(slug, fc.constantFrom('mirror', 'other'), (value, provider) => {
        const ada = samplePerson({ kind: 'people', type: 'slug', value })
        expect(diffPeople(ada, structuredClone(ada), { provider })).toEqual([])
        const works = sampleCompany({ kind: 'companies', type: 'slug', value })
        expect(diffRecords('companies', side(works), side(structuredClone(works), { provider }))).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  test('have the same paths with swapped values in reverse', () => {
    fc.assert(
      fc.property(slug, slug, (a, b) => {
        const one = { ...samplePerson({ kind: 'people', type: 'slug', value: a }), experience: [] }
        const two = { ...samplePerson({ kind: 'people', type: 'slug', value: b }), experience: [] }
        const forth = diffPeople(one, two).map(({ path, before, after }) => JSON.stringify([path, before, after]))
        const back = diffPeople(two, one).map(({ path, before, after }) => JSON.stringify([path, after, before]))
        expect(back.toSorted()).toEqual(forth.toSorted())
      }),
      { numRuns: 40 },
    )
  })

  test('of a thin side never contain a change of jobs', () => {
    fc.assert(
      fc.property(slug, slug, fc.boolean(), (a, b, first) => {
        const one = side(samplePerson({ kind: 'people', type: 'slug', value: a }), { thin: first })
        const two = side(samplePerson({ kind: 'people', type: 'slug', value: b }), { thin: !first })
        const found = kinds(diffRecords('people', one, two))
        expect(found.filter((kind) => ['job_change', 'promotion', 'return'].includes(kind))).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

describe('a company that got its platform id', () => {
  const derived = 'vitae-0123456789abcdef'
  const page = 'https://www.linkedin.com/company/north-light'
  const at = (id: string | null, fields: Partial<ExperienceGroup> = {}) => ({
    ...group(id, [engineer], 'North Light'),
    ...fields,
  })

  test.each([
    ['by its page', at(derived, { company_url: page }), at('7700', { company_url: page, company_name: 'Northern' })],
    ['by its name', at(derived), at('7700')],
    ['from no id at all', at(null, { company_url: page }), at('7700', { company_url: page })],
    ['and lost it again', at('7700', { company_url: page }), at(derived, { company_url: page })],
  ])('is the same one %s: nobody changed jobs', (_, before, after) => {
    expect(kinds(diffPeople(person(before), person(after))).filter((kind) => kind !== 'field')).toEqual([])
  })

  test('is not the employer that someone left it for', () => {
    const changes = diffPeople(
      person(at(derived, { company_url: page })),
      person(group('2', [{ title: 'Lead', start: '2023-06' }]), group('7700', [ended], 'North Light')),
    )

    expect(kinds(changes)).toContain('job_change')
  })
})

describe('the changes in a series of versions', () => {
  type View = { experience: ExperienceGroup[] | null }
  const at = (...ids: string[]): View => ({
    experience: ids.map((id) => group(id, [{ title: 'Engineer', start: `20${id}-01` }])),
  })
  const titled = (title: string, start: string): View => ({ experience: [group('11', [{ title, start }])] })
  const back: View = { experience: [group('11', [{ title: 'Engineer', start: '2013-01' }])] }
  const named = (id: string, name: string): View => ({ experience: [group(id, [engineer], name)] })
  const over = (id: string, end: string): View => ({
    experience: [group(id, [{ title: 'Engineer', start: `20${id}`, end }])],
  })
  /** At one company since a date, and at another before that. */
  const moved = (id: string, start: string, from: string): View => ({
    experience: [group(id, [{ title: 'Engineer', start }]), ...(over(from, start).experience ?? [])],
  })
  const silent: View = { experience: null }
  const unknown: View = {
    experience: [{ ...group('11', [engineer]), date_range: null, positions: [] }],
  }

  /** The versions with their providers, oldest first, and the version (from 0) in which each change is news. */
  const cases: [name: string, versions: [provider: string, view: View][], news: string[]][] = [
    [
      'one provider shows both sides',
      [
        ['h', at('11')],
        ['h', at('12')],
      ],
      ['1: 11 > 12'],
    ],
    [
      'two providers differ',
      [
        ['h', at('11')],
        ['b', at('12')],
      ],
      [],
    ],
    [
      'a provider comes back after another answered for it',
      [
        ['h', at('11')],
        ['b', at('12')],
        ['h', at('12')],
        ['h', at('12')],
        ['h', at('12')],
      ],
      ['2: 11 > 12'],
    ],
    [
      'a provider repeats the old job after another showed the new one',
      [
        ['h', at('11')],
        ['b', at('12')],
        ['h', at('11')],
        ['h', at('12')],
        ['b', at('12')],
      ],
      ['3: 11 > 12'],
    ],
    [
      'a second provider shows a change that is known',
      [
        ['h', at('11')],
        ['b', at('11')],
        ['h', at('12')],
        ['b', at('11')],
        ['b', at('12')],
      ],
      ['2: 11 > 12'],
    ],
    [
      'a new provider is late, then catches up',
      [
        ['h', at('12')],
        ['b', at('11')],
        ['b', at('12')],
      ],
      [],
    ],
    [
      'a provider catches up with two moves',
      [
        ['h', at('11')],
        ['b', at('11')],
        ['h', at('12')],
        ['h', at('13')],
        ['b', at('12')],
        ['b', at('13')],
      ],
      ['2: 11 > 12', '3: 12 > 13'],
    ],
    [
      'a provider that was late sees the next move first',
      [
        ['h', at('11')],
        ['b', at('12')],
        ['h', at('12')],
        ['b', at('13')],
        ['h', at('13')],
      ],
      ['2: 11 > 12', '3: 12 > 13'],
    ],
    [
      'somebody leaves, comes back, and a slow provider follows',
      [
        ['h', at('11')],
        ['b', at('11')],
        ['h', at('12')],
        ['h', back],
        ['b', at('12')],
        ['b', back],
      ],
      ['2: 11 > 12', '3: 12 > 11'],
    ],
    [
      'a second job is added and ends',
      [
        ['h', at('11')],
        ['h', at('11', '12')],
        ['h', at('11')],
      ],
      ['1: null > 12', '2: 12 > null'],
    ],
    [
      'a list that is empty says that all jobs ended',
      [
        ['h', at('11')],
        ['h', at()],
      ],
      ['1: 11 > null'],
    ],
    [
      'a list that is not said says nothing',
      [
        ['h', at('11')],
        ['h', silent],
        ['h', at('11')],
      ],
      [],
    ],
    [
      'nor does one without dates',
      [
        ['h', at('11', '12')],
        ['h', unknown],
        ['h', at('11', '12')],
      ],
      [],
    ],
    [
      'a change across a list that was not said',
      [
        ['h', at('11')],
        ['h', silent],
        ['h', at('12')],
      ],
      ['2: 11 > 12'],
    ],
    [
      'a company that got another name and page, without an id of the platform',
      [
        ['h', named('vitae-0000000000000001', 'Juniper')],
        ['h', named('vitae-0000000000000002', 'Lumoda')],
      ],
      [],
    ],
    [
      'a provider that shows the end first is ahead: the others follow, and its next move is news',
      [
        ['h', at('11')],
        ['b', over('11', '2012')],
        ['b', moved('12', '2012', '11')],
        ['h', moved('12', '2012-05', '11')],
        ['b', moved('11', '2013', '12')],
        ['h', moved('11', '2013-01', '12')],
      ],
      ['2: null > 12', '4: 12 > null', '4: 11 > 11'],
    ],
    [
      'a job that began before one that was shown is old',
      [
        ['h', at('11')],
        ['b', at('11', '13')],
        ['h', at('11', '12')],
      ],
      [],
    ],
    [
      'a job that began and ended in one year, as a provider shows it that gives years only',
      [
        ['h', over('11', '2012')],
        ['h', { experience: [group('12', [{ title: 'Engineer', start: '2012' }])] }],
        ['h', over('12', '2012')],
      ],
      ['1: null > 12', '2: 12 > null'],
    ],
    [
      'a provider whose first list has a job as going on that is known to be over',
      [
        ['h', at('11')],
        ['h', over('11', '2012')],
        ['b', at('11')],
        ['b', over('11', '2012')],
      ],
      ['1: 11 > null'],
    ],
    [
      'a job that others have shown with a promotion already',
      [
        ['h', at('10')],
        [
          'b',
          {
            experience: [
              group('11', [
                { title: 'Lead', start: '2013' },
                { title: 'Engineer', start: '2011', end: '2013' },
              ]),
            ],
          },
        ],
        ['h', moved('11', '2011', '10')],
      ],
      ['2: null > 11'],
    ],
    [
      'a job at a company that got another name and page since another provider showed it',
      [
        ['h', at('10')],
        ['h', { experience: [group('vitae-0000000000000001', [{ title: 'Engineer', start: '2012-05' }], 'Juniper')] }],
        ['b', at('10')],
        ['b', { experience: [group('vitae-0000000000000002', [{ title: 'Engineer', start: '2012' }], 'Lumoda')] }],
      ],
      ['1: 10 > vitae-0000000000000001'],
    ],
    [
      'a promotion to a title that was held years ago',
      [
        [
          'h',
          {
            experience: [
              group('11', [
                { title: 'Clerk', start: '2015' },
                { title: 'Lead', start: '2011', end: '2012' },
              ]),
            ],
          },
        ],
        [
          'h',
          {
            experience: [
              group('11', [
                { title: 'Lead', start: '2017' },
                { title: 'Clerk', start: '2015', end: '2017' },
                { title: 'Lead', start: '2011', end: '2012' },
              ]),
            ],
          },
        ],
      ],
      ['1: Lead'],
    ],
    [
      'a promotion is news once, in whatever words',
      [
        ['h', titled('Engineer', '2020-01')],
        ['b', titled('Ingenieur', '2020')],
        ['h', titled('Lead', '2024-03')],
        ['b', titled('Leiter', '2024')],
        ['b', titled('Leiter', '2024')],
      ],
      ['2: Lead'],
    ],
    [
      'a promotion that another provider knew first is news when one shows both sides',
      [
        ['h', titled('Engineer', '2020-01')],
        ['b', titled('Lead', '2024-03')],
        ['h', titled('Lead', '2024-03')],
      ],
      ['2: Lead'],
    ],
    [
      'a late view of a promotion is none',
      [
        ['h', titled('Lead', '2024-03')],
        ['b', titled('Engineer', '2020-01')],
        ['b', titled('Lead', '2024-03')],
      ],
      [],
    ],
  ]

  const idOf = (job: unknown) => (job as { company_id: string } | null)?.company_id ?? null
  const newsOf = (changes: Change[], index: number) =>
    changes.flatMap(({ kind, before, after }) => {
      if (kind === 'promotion') return [`${index}: ${(after as { title: string }).title}`]
      return ['job_change', 'return'].includes(kind) ? [`${index}: ${idOf(before)} > ${idOf(after)}`] : []
    })

  test.each(cases)('%s', (_, versions, news) => {
    const sides = versions.map(([provider, { experience }]) => ({
      ...side(person(...(experience ?? [])), { provider }),
      unsaid: new Set(experience ? [] : ['experience']),
    }))

    expect(judgeChanges('people', sides).flatMap(({ changes }, index) => newsOf(changes, index))).toEqual(news)
  })

  test('a known job change causes no other change of its job', () => {
    const said = (provider: string, view: View) => side(person(...(view.experience ?? [])), { provider })
    const judged = judgeChanges('people', [
      said('h', at('11')),
      said('b', at('11')),
      said('h', at('12')),
      said('b', at('12')),
    ])
    expect(judged[3]).toEqual({ changes: [], from: 1 })
  })

  test('a value that two providers show is news once, and a known one is not', () => {
    const said = (provider: string, headline: string) => side({ ...person(), headline }, { provider })
    const versions = [said('h', 'a'), said('b', 'a'), said('h', 'b'), said('b', 'b'), said('c', 'a'), said('c', 'b')]
    const news = judgeChanges('people', versions).map(({ changes }) => changes.length)

    expect(news).toEqual([0, 0, 1, 0, 0, 0])
  })

  test('for any views of providers: each move of a person is news at most once, and never before it happened', () => {
    const step = fc.record({ provider: fc.constantFrom('h', 'b', 'c'), lag: fc.nat({ max: 3 }), moves: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
        let truth = 0
        const shown = new Map<string, number>()
        const sides = steps.map(({ provider, lag, moves }) => {
          if (moves) truth += 1
          const seen = Math.max(shown.get(provider) ?? 0, truth - lag, 0)
          shown.set(provider, seen)
          return side(person(group(String(100 + seen), [engineer])), { provider })
        })
        const news = judgeChanges('people', sides).flatMap(({ changes }) =>
          changes.flatMap(({ kind, after }) => (kind === 'job_change' ? (idOf(after) ?? []) : [])),
        )
        expect(news).toEqual([...new Set(news)])
      }),
      { numRuns: 300 },
    )
  })
})

test('thousands of places in one country are named by number, and compared at once', () => {
  const place = { country: 'US', geographic_area: null, city: null, postal_code: null, address_line1: null }
  const company = (name: string): Company => ({
    ...emptyCompany(),
    locations: {
      headquarter: null,
      all_locations: Array.from({ length: 8_000 }, () => ({ ...place, geographic_area: name, is_headquarter: null })),
    },
  })
  const before = process.cpuUsage()

  const changes = diffRecords('companies', side(company('Ohio')), side(company('Iowa')))

  const { user, system } = process.cpuUsage(before)
  expect(changes.slice(0, 2).map(({ path }) => path)).toEqual([
    'locations.all_locations[US].geographic_area',
    'locations.all_locations[US 2].geographic_area',
  ])
  expect(changes).toHaveLength(8_000)
  expect((user + system) / 1_000_000).toBeLessThan(4)
})

test('thousands of jobs and schools are compared at once, and a list that is no career value by value', () => {
  const school = (id: string) => ({
    ...Object.fromEntries(['school_url', 'school_logo_url', 'degree', 'field_of_study'].map((name) => [name, null])),
    ...{ school_name: `School ${id}`, school_id: id, company_id: id, grade: null, activities: null },
    ...{ description: null, date_range: null },
  })
  const busy = (from: number): Person => ({
    ...person(...Array.from({ length: 3_000 }, (_, at) => group(String(from + at), [engineer]))),
    education: Array.from({ length: 3_000 }, (_, at) => school(String(from + at)) as Person['education'][number]),
  })
  const promoted = (part: string) =>
    person(
      group(
        '1',
        Array.from({ length: 3_000 }, (_, at) => ({ title: `${part} ${at}`, start: '2020-01' })),
      ),
    )
  const before = process.cpuUsage()

  const moved = diffPeople(busy(1), busy(10_001))
  const retitled = diffPeople(promoted('Engineer'), promoted('Lead'))

  const { user, system } = process.cpuUsage(before)
  expect(new Set(kinds([...moved, ...retitled]))).toEqual(new Set(['field']))
  expect((user + system) / 1_000_000).toBeLessThan(4)
})

test('two hundred thousand values of a list are compared without an error', () => {
  const verified = (value: number): Person => ({
    ...person(),
    verifications: {
      is_verified: true,
      joined_date: null,
      sections: [{ title: 'Checks', items: Array.from({ length: 200_000 }, () => value) }],
    },
  })

  const changes = diffPeople(verified(0), verified(1))

  expect(changes.length).toBe(200_000)
})
