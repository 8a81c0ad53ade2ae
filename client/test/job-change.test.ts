import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ExperienceGroup, type Person, jobChange } from '../src/index.ts'
import { date, employer, person, position } from './people.ts'

const at = (id: string | null, name: string | null = `Company ${id}`) =>
  employer(id, name, position('Engineer', '2019'))
const formerly = (id: string | null) => employer(id, `Company ${id}`, position('Engineer', '2019', '2024'))
const kindOf = (before: ExperienceGroup[], after: ExperienceGroup[]) =>
  jobChange(person(...before), person(...after)).kind

describe('employers', () => {
  test('another company_id is a move, with both employers', () => {
    const change = jobChange(person(at('1')), person(at('2'), formerly('1')))

    expect(change).toMatchObject({ kind: 'moved', left: [at('1')], joined: [at('2')], promotions: [] })
  })

  test('a new name with the same company_id is not a change', () => {
    expect(kindOf([at('1', 'Twittering')], [at('1', 'Ex')])).toBe('none')
  })

  test('the same name with another company_id is a move', () => {
    expect(kindOf([at('1', 'Delta')], [at('2', 'Delta')])).toBe('moved')
  })

  test('an employer whose derived id became a platform id is the same one, by its page or its name', () => {
    const derived = 'vitae-0123456789abcdef'
    const company_url = 'https://www.linkedin.com/company/delta'

    expect(kindOf([at(derived, 'Delta')], [at('2', 'Delta')])).toBe('none')
    expect(kindOf([{ ...at(derived, 'Delta'), company_url }], [{ ...at('2', 'Echo'), company_url }])).toBe('none')
    expect(kindOf([at(derived, 'Delta')], [at('2', 'Echo')])).toBe('unknown')
    expect(kindOf([at(derived, 'Delta')], [at('vitae-fedcba9876543210', 'Echo')])).toBe('moved')
  })

  test('a second employer is joined, and its end is left', () => {
    expect(kindOf([at('1')], [at('2'), at('1')])).toBe('joined')
    expect(kindOf([at('2'), at('1')], [at('1'), formerly('2')])).toBe('left')
  })

  test('all jobs ended explicitly is left', () => {
    expect(kindOf([at('1')], [formerly('1')])).toBe('left')
  })

  test('past employers that appear or disappear change nothing', () => {
    expect(kindOf([at('1'), formerly('2')], [at('1'), formerly('3')])).toBe('none')
  })

  test('a return to a former employer, listed as a second group, is one employer', () => {
    expect(kindOf([at('2'), formerly('1')], [at('1'), formerly('2'), formerly('1')])).toBe('moved')
    expect(kindOf([at('1'), at('1')], [at('1')])).toBe('none')
  })

  test('an employer without positions uses its own dates', () => {
    const bare = { ...employer('1', 'One'), date_range: { start: date('2020'), end: null } }

    expect(kindOf([bare], [at('1')])).toBe('none')
    expect(kindOf([bare], [at('2')])).toBe('moved')
  })
})

describe('an unclear change is unknown', () => {
  test('an empty or thin record never means that all jobs ended', () => {
    const full = person(at('1'))

    expect(jobChange(full, person()).kind).toBe('unknown')
    expect(jobChange(person(), full).kind).toBe('unknown')
    expect(jobChange(full, { record: person(formerly('1')), thin: true }).kind).toBe('unknown')
    expect(jobChange({ record: full, thin: false }, { record: person(formerly('1')), thin: false }).kind).toBe('left')
  })

  test('two different people are not compared, one person with a new slug is', () => {
    const before = person(at('1'))
    const other: Person = { ...person(at('2')), member_urn: 'urn:vitae:member:2', public_identifier: 'someone-else' }

    expect(jobChange(before, other).kind).toBe('unknown')
    expect(jobChange(before, { ...other, member_urn: before.member_urn }).kind).toBe('moved')
  })

  test('without ids a different name does not prove a change, and an equal name proves none', () => {
    expect(kindOf([at(null, 'Acme')], [at(null, 'Acme Holding')])).toBe('unknown')
    expect(kindOf([at('1', 'Acme')], [at(null, 'Acme Holding')])).toBe('unknown')
    expect(kindOf([at(null, 'Acme')], [at(null, ' ACME ')])).toBe('none')
    expect(kindOf([at('1', 'Acme')], [at(null, 'Acme')])).toBe('none')
    expect(kindOf([at(null, null)], [at(null, null)])).toBe('unknown')
  })

  test('an employer without an id is left or joined if no other employer could be the same', () => {
    expect(kindOf([at('1'), at(null, 'Acme')], [at('1')])).toBe('left')
    expect(kindOf([at('1')], [at('1'), at(null, 'Acme')])).toBe('joined')
  })
})

describe('promotions', () => {
  const engineer = position('Engineer', '2019-03')
  const before = person(employer('1', 'One', engineer))

  test('a new position at the same employer is a promotion, not a move', () => {
    const [lead, past] = [position('Lead', '2023-01'), position('Engineer', '2019-03', '2023-01')]
    const later = employer('1', 'One', lead, past)

    expect(jobChange(before, person(later))).toEqual({
      kind: 'promoted',
      joined: [],
      left: [],
      promotions: [{ company: later, from: engineer, to: lead }],
    })
  })

  test('a reworded title is not a promotion', () => {
    const kind = (title: string, start: string) =>
      jobChange(before, person(employer('1', 'One', position(title, start)))).kind

    expect(kind('Software Engineer', '2019-03')).toBe('none')
    expect(kind('Software Engineer', '2019')).toBe('none')
    expect(kind(' ENGINEER', '2023')).toBe('none')
    expect(kind('Lead', '2023')).toBe('promoted')
  })

  test('a start with more precision is not a promotion', () => {
    const earlier = person(employer('1', 'One', position('Engineer', '2019')))
    const later = person(employer('1', 'One', position('Software Engineer', '2019-09')))

    expect(jobChange(earlier, later).kind).toBe('none')
  })

  test('undated positions show a promotion if the old one has ended', () => {
    const earlier = person(employer('1', 'One', position('Engineer', null)))
    const later = person(employer('1', 'One', position('Lead', null), position('Engineer', null, '2023')))

    expect(jobChange(earlier, later).kind).toBe('promoted')
  })

  test('a position held all along is not a promotion when another one ends', () => {
    const earlier = person(employer('1', 'One', position('Chair', '2022'), position('Engineer', '2019')))
    const later = person(employer('1', 'One', position('Engineer', '2019'), position('Chair', '2022', '2024')))

    expect(jobChange(earlier, later).kind).toBe('none')
  })

  test('a missing title is no promotion', () => {
    expect(jobChange(before, person(employer('1', 'One', position(null, '2024')))).kind).toBe('none')
  })

  test('a promotion is reported together with a new employer', () => {
    const change = jobChange(before, person(at('2'), employer('1', 'One', position('Lead', '2023'))))

    expect(change.kind).toBe('joined')
    expect(change.promotions).toHaveLength(1)
  })
})

describe('for any work history', () => {
  const group = fc.record({
    id: fc.constantFrom('1', '2', '3', null),
    name: fc.constantFrom('Acme', 'Brio', null),
    title: fc.constantFrom('Engineer', 'Lead', null),
    end: fc.constantFrom('2024', null),
  })
  const history = fc.array(
    group.map(({ id, name, title, end }) => employer(id, name, position(title, '2019', end))),
    { maxLength: 4 },
  )
  const named = history.map((groups) => groups.map((each, at) => ({ ...each, company_name: `Name ${at}` })))
  const withIds = named.map((groups) => groups.filter(({ company_id }) => company_id !== null))

  test('nothing changes between a record and itself', () => {
    fc.assert(
      fc.property(withIds, (groups) => {
        const change = jobChange(person(...groups), person(...groups))
        expect(change.kind).toBe(groups.length === 0 ? 'unknown' : 'none')
      }),
    )
  })

  test('a new name alone is never a change', () => {
    fc.assert(
      fc.property(withIds, fc.string(), (groups, name) => {
        const renamed = groups.map((each) => ({ ...each, company_name: name }))
        expect(['none', 'unknown']).toContain(kindOf(groups, renamed))
      }),
    )
  })

  test('swapping the records swaps joined and left', () => {
    fc.assert(
      fc.property(history, history, (one, two) => {
        const there = jobChange(person(...one), person(...two))
        const back = jobChange(person(...two), person(...one))
        expect(back.joined).toEqual(there.left)
        expect(back.left).toEqual(there.joined)
        expect(back.kind === 'unknown').toBe(there.kind === 'unknown')
      }),
    )
  })

  test('a later empty record never means that anything was left', () => {
    fc.assert(
      fc.property(history, (groups) => {
        expect(kindOf(groups, [])).toBe('unknown')
      }),
    )
  })
})

test.each([
  ['null', null, 'before is null'],
  ['undefined', undefined, 'before is undefined'],
  ['a text', 'ada-example', 'before is string'],
  ['a company', { company_id: '1' }, 'before is object'],
  ['an empty answer', { record: null, thin: false }, 'before is object'],
])('%s instead of a person is refused with the expected type', (_name, given, said) => {
  const wrong = given as unknown as Person

  expect(() => jobChange(wrong, person())).toThrow(
    new TypeError(`jobChange(before, after) wants two people, as records or as whole answers; ${said}.`),
  )
  expect(() => jobChange(person(), wrong)).toThrow(said.replace('before', 'after'))
})
