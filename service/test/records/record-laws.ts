import { Company, Person, type DateRange, type Kind, type PartialDate } from '@vitae/contract'
import type { TSchema } from 'typebox'
import { Errors } from 'typebox/value'
import { expect } from 'vitest'
import { contractOrder } from '../../src/records/body/in-contract-order.ts'

const schemas: Record<Kind, TSchema> = { people: Person, companies: Company }

/** The record has the contract's shape, its keys stand in the contract's order, and it survives JSON. */
export function expectContractShape(kind: Kind, record: unknown): void {
  expect(Errors(schemas[kind], record)).toEqual([])
  expect(JSON.stringify(record)).toBe(JSON.stringify(contractOrder(schemas[kind])(record)))
  expect(JSON.parse(JSON.stringify(record))).toEqual(record)
}

/** The laws of a person record that a schema cannot say. */
export function expectConsistentPerson(person: Person): void {
  for (const group of person.experience) {
    expectOrdered(group.date_range)
    for (const position of group.positions) expectOrdered(position.date_range)
    const current = group.positions.some((position) => position.date_range?.end === null)
    expect(group.date_range?.end === null).toBe(current)
    expectCurrentFirst(group.positions.map((position) => position.date_range))
    expect(earliest(group.positions.map((position) => position.date_range))).toBe(earliest([group.date_range]))
  }
  expectCurrentFirst(person.experience.map((group) => group.date_range))
  for (const study of person.education) expectOrdered(study.date_range)
  const { country, country_code: code } = person.location
  if (code) expect(new Intl.DisplayNames('en', { type: 'region' }).of(code)).toBe(country)
  for (const url of urlsIn(person)) expectReservedHost(url)
}

/** The laws of a company record that a schema cannot say. */
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
  for (const url of urlsIn(company)) expectReservedHost(url)
}

function urlsIn(record: unknown): string[] {
  return JSON.stringify(record).match(/https?:\/\/[^"\\\s]+/g) ?? []
}

function expectReservedHost(url: string): void {
  expect(new URL(url).hostname).toMatch(/^(www\.linkedin\.com|(.+\.)?example(\.com)?)$/)
}

function expectOrdered(range: DateRange | null): void {
  for (const date of [range?.start, range?.end]) if (date) expect(date.iso).toBe(isoOf(date))
  if (range?.start && range.end) expect(range.start.iso <= range.end.iso).toBe(true)
}

function isoOf(date: PartialDate): string {
  const two = (part: number) => String(part).padStart(2, '0')
  if (date.month === null) return String(date.year)
  return `${date.year}-${two(date.month)}${date.day === null ? '' : `-${two(date.day)}`}`
}

function expectCurrentFirst(ranges: (DateRange | null)[]): void {
  const rank = (range: DateRange | null) =>
    `${range?.end === null ? 1 : 0} ${range?.start?.iso ?? ''} ${range?.end?.iso ?? ''}`
  expect(ranges.map(rank)).toEqual(ranges.map(rank).toSorted().toReversed())
}

function earliest(ranges: (DateRange | null)[]): string | undefined {
  return ranges.map((range) => range?.start?.iso ?? '').toSorted()[0]
}
