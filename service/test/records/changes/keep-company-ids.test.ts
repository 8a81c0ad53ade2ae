import { emptyPerson, type ExperienceGroup, type Person } from '@vitae/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { derivedCompanyId } from '../../../src/foundation/identifier.ts'
import { keepCompanyIds } from '../../../src/records/changes/keep-company-ids.ts'

const page = (name: string) => `https://www.linkedin.com/company/${name}`
const [job] = contractPerson('anyone').experience
if (!job) throw new Error('the fictional person has no job')

/** An employer as one provider may know it: by number, by page, or only by name. */
function employer(number: number, known: 'number' | 'page' | 'name', hasPage: boolean, name: string): ExperienceGroup {
  const slug = `works-${number}`
  const ids = { number: String(number), page: derivedCompanyId(slug), name: null }
  const url = known === 'number' ? page(String(number)) : page(slug)
  const shown = known === 'name' || (known === 'number' && !hasPage) ? null : url
  return { ...(job as ExperienceGroup), company_id: ids[known], company_url: shown, company_name: name }
}

const person = (experience: ExperienceGroup[]): Person => ({ ...emptyPerson('urn:li:member:1'), experience })
const knowledge = fc.tuple(fc.constantFrom('number', 'page', 'name'), fc.boolean())

test("however a provider names a person's companies, an unchanged job keeps its id", () => {
  const known = fc.array(fc.tuple(knowledge, knowledge, fc.boolean()), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(known, fc.boolean(), (jobs, reversed) => {
      const before = person(jobs.map(([[by, has]], index) => employer(index + 1, by, has, `Works ${index}`)))
      const later = jobs.map(([, [by, has], shouts], index) =>
        employer(index + 1, by, has, shouts ? `WORKS  ${index}` : `Works ${index}`),
      )
      const after = keepCompanyIds(before, person(reversed ? later.toReversed() : later))

      const ids = after.experience.map((group) => group.company_id)
      const kept = reversed ? ids.toReversed() : ids
      for (const [index, group] of before.experience.entries()) {
        const own = later[index]?.company_id ?? null
        expect(kept[index]).toBe(group.company_id ?? own)
      }
    }),
  )
})

test('a renamed page is the same job; another company of the same name, or with another number, is not', () => {
  const since = (year: number) => ({ start: { year, month: null, day: null, iso: String(year) }, end: null })
  const at = (slug: string, year: number, fields: Partial<ExperienceGroup> = {}): ExperienceGroup => ({
    ...employer(1, 'page', true, 'Acme'),
    company_id: derivedCompanyId(slug),
    company_url: page(slug),
    date_range: since(year),
    positions: [],
    ...fields,
  })
  const keptBy = (before: ExperienceGroup, after: ExperienceGroup) =>
    keepCompanyIds(person([before]), person([after])).experience[0]?.company_id

  expect(keptBy(at('acme', 2019), at('acme-inc', 2019))).toBe(derivedCompanyId('acme'))
  expect(keptBy(at('acme', 2019), at('acme-labs', 2024))).toBe(derivedCompanyId('acme-labs'))
  const numbered = (id: string) => at('acme', 2019, { company_id: id })
  expect(keptBy(numbered('1'), numbered('2'))).toBe('2')
})
