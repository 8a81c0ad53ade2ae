import type { Company, Person } from '@vitae/contract'
import { expect, test } from 'vitest'
import { parseIdentifier } from '../../src/records/identifiers/parse-identifier.ts'
import { samplePerson } from '../../src/samples/sample-answer.ts'
import { sampleCompany } from '../../src/samples/sample-company.ts'

const ids = Array.from({ length: 1_000 }, (_, index) => `someone-${index}`)
const people = ids.map((id) => samplePerson(parseIdentifier('people', id)))
const companies = ids.map((id) => sampleCompany(parseIdentifier('companies', id)))

test('only fields that the contract allows to be null are null in a thousand people', () => {
  const mayBeNull = [
    // Fields that the upstream does not supply at present.
    'network_info',
    'contact_info.email_address',
    'contact_info.address',
    // Null for known reasons: the top bracket and an unknown one, a workplace that was never observed, a form of
    // employment.
    'experience.company_employee_count_range.start',
    'experience.company_employee_count_range.end',
    'experience.workplace_type',
    'experience.positions.employment_type',
  ]
  const found = nullsIn(people)
  const dates = /date_range\.(end|(start|end)\.(month|day))$/
  expect([...found.keys()].filter((path) => !dates.test(path)).toSorted()).toEqual(mayBeNull.toSorted())
  const ongoing = [...found.keys()].filter((path) => path.endsWith('date_range.end'))
  expect(ongoing).toEqual(expect.arrayContaining(['education.date_range.end', 'volunteer_experiences.date_range.end']))
})

test('every list of a person has items in some samples, and no section has items in all', () => {
  const filled = (name: keyof Person) => people.filter((person) => [person[name]].flat().length > 0).length
  const sections = ['certifications', 'courses', 'honors', 'languages', 'organizations', 'patents', 'projects'] as const
  for (const name of [...sections, 'publications', 'test_scores', 'volunteer_experiences'] as const) {
    expect(filled(name), name).toBeGreaterThan(150)
    expect(filled(name), name).toBeLessThan(1_000)
  }
  for (const name of ['experience', 'education', 'skills', 'websites'] as const) {
    expect(filled(name), name).toBeGreaterThan(900)
  }
})

test('internships last months, and other jobs mostly years', () => {
  const jobs = people.flatMap(({ experience }) => experience.flatMap(({ positions }) => positions))
  const months = jobs.flatMap(({ employment_type: type, title, date_range: range }) => {
    const { start, end } = range ?? {}
    if (!start || !end) return []
    const length = (end.year - start.year) * 12 + (end.month ?? 1) - (start.month ?? 1)
    return [{ isInternship: type === 'Internship' || title === 'Intern', length }]
  })
  const internships = months.filter(({ isInternship }) => isInternship)
  expect(internships.length).toBeGreaterThan(20)
  expect(Math.max(...internships.map(({ length }) => length))).toBeLessThanOrEqual(6)
  expect(Math.min(...months.filter((job) => !job.isInternship).map(({ length }) => length))).toBeGreaterThan(6)
})

test('volunteers help an organization that its id returns', () => {
  const items = people.flatMap((person) => person.volunteer_experiences)
  expect(items.length).toBeGreaterThan(150)
  for (const { company, company_id: id } of items) {
    expect(sampleCompany(parseIdentifier('companies', id ?? '')).company_name).toBe(company)
  }
})

test('a company always has a name, an id, a page and a page type; the rest is filled in most of a thousand', () => {
  const counts = nullsIn(companies)
  for (const field of Object.keys(companies[0] ?? {}) as (keyof Company)[]) {
    const isRare = ['call_to_action', 'phone_number', 'funding_data', 'background_photo_url'].includes(field)
    expect(counts.get(field) ?? 0, field).toBeLessThan(isRare ? 950 : 200)
  }
  const always = ['company_id', 'public_identifier', 'company_name', 'description', 'platform_url', 'is_showcase']
  expect(always.filter((field) => counts.has(field))).toEqual([])
})

/** The number of nulls at each path, without list positions. */
function nullsIn(records: readonly object[]): Map<string, number> {
  const counts = new Map<string, number>()
  const count = (value: unknown, path: string): void => {
    if (value === null) counts.set(path, (counts.get(path) ?? 0) + 1)
    else if (Array.isArray(value)) for (const item of value) count(item, path)
    else if (typeof value === 'object' && value)
      for (const [key, inner] of Object.entries(value)) count(inner, path ? `${path}.${key}` : key)
  }
  for (const record of records) count(record, '')
  return counts
}
