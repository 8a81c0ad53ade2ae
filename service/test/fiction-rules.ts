import type { Company, DateRange, Person } from '@vitae/contract'
import { expect } from 'vitest'

/** Checks that the parts of a fictional person agree, and that every address is reserved for examples. */
export function expectConsistentPerson(person: Person): void {
  for (const group of person.experience) {
    expectStartBeforeEnd(group.date_range)
    for (const position of group.positions) expectStartBeforeEnd(position.date_range)
    expect(earliest(group.positions.map((position) => position.date_range))).toBe(earliest([group.date_range]))
  }
  for (const study of person.education) expectStartBeforeEnd(study.date_range)
  const { country, country_code: code } = person.location
  if (code) expect(new Intl.DisplayNames('en', { type: 'region' }).of(code)).toBe(country)
  expectReservedHosts(person)
}

/** Checks that the parts of a fictional company agree, and that every address is reserved for examples. */
export function expectConsistentCompany(company: Company): void {
  const { locations, staff_info: staff } = company
  const offices = locations?.all_locations ?? []
  if (locations?.headquarter) {
    expect(offices.filter((office) => office.is_headquarter)).toEqual([locations.headquarter])
  }
  if (typeof staff?.staff_count === 'number') {
    expect(staff.staff_count).toBeGreaterThanOrEqual(staff.staff_range?.start ?? 0)
    expect(staff.staff_count).toBeLessThanOrEqual(staff.staff_range?.end ?? Number.MAX_SAFE_INTEGER)
  }
  expectReservedHosts(company)
}

function expectReservedHosts(record: unknown): void {
  for (const url of JSON.stringify(record).match(/https?:\/\/[^"\\\s]+/g) ?? []) {
    expect(new URL(url).hostname).toMatch(/^(www\.linkedin\.com|(.+\.)?example(\.com)?)$/)
  }
}

function expectStartBeforeEnd(range: DateRange | null): void {
  if (range?.start && range.end) expect(range.start.iso <= range.end.iso).toBe(true)
}

function earliest(ranges: (DateRange | null)[]): string | undefined {
  return ranges.map((range) => range?.start?.iso ?? '').toSorted()[0]
}
