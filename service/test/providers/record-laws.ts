import { Company, type DateRange, type Kind, Person } from '@vitae/contract'
import { Check, Errors } from 'typebox/value'
import { expect } from 'vitest'
import { emptyCompany, emptyPerson } from '../../src/providers/mapping/empty-records.ts'
import type { Projection, Provider } from '../../src/providers/provider.ts'

/** What holds for every record of every provider. */
export function expectLawful(kind: Kind, { record, identity }: Projection): void {
  const schema = kind === 'people' ? Person : Company
  // Listing the errors is slow, and there are none.
  if (!Check(schema, record)) expect(Errors(schema, record)).toEqual([])
  expect(Object.keys(record)).toEqual(Object.keys(kind === 'people' ? emptyPerson() : emptyCompany()))
  if ('member_urn' in record) expectLawfulPerson(record)
  expect('member_urn' in record ? record.member_urn : record.company_id).toBe(identity.key)
  expect(identity.derived).toBe(!/^(urn:li:member:)?\d+$/.test(identity.key))
  for (const alias of identity.aliases) expect(alias.value, alias.type).not.toBe('')
}

function expectLawfulPerson(person: Person): void {
  const ids = person.experience.flatMap((group) => group.company_id ?? [])
  expect(ids).toEqual([...new Set(ids)])
  expectOrder(person.experience.map((group) => group.date_range))
  for (const group of person.experience) {
    expect(group.positions.length).toBeGreaterThan(0)
    expect(group).not.toHaveProperty('title')
    expectOrder(group.positions.map((position) => position.date_range))
  }
  expectIsoAsPreciseAsDate(person)
}

/** Neighbours only: dates of unequal precision cannot always be ordered as a whole. */
export function expectOrder(ranges: (DateRange | null)[]): void {
  for (const [index, range] of ranges.slice(1).entries()) {
    expect(mayStandBefore(ranges[index] ?? null, range), JSON.stringify(ranges)).toBe(true)
  }
}

/** Written anew, from the rule and not from the code: current first, then later start, then later end. */
function mayStandBefore(a: DateRange | null, b: DateRange | null): boolean {
  const isOpen = (range: DateRange | null) => !range || !range.end
  if (isOpen(a) !== isOpen(b)) return isOpen(a)
  for (const side of ['start', 'end'] as const) {
    const [one, two] = [a?.[side]?.iso ?? '', b?.[side]?.iso ?? '']
    if ((one === '') !== (two === '')) return one !== ''
    const precision = Math.min(one.length, two.length)
    const [x, y] = [one.slice(0, precision), two.slice(0, precision)]
    if (x !== y) return x > y
  }
  return true
}

function expectIsoAsPreciseAsDate(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if ('iso' in value && 'year' in value && 'month' in value && 'day' in value) {
    const parts = [value.year, value.month, value.day].filter((part) => typeof part === 'number')
    expect(value.iso).toBe(parts.map((part) => String(part).padStart(2, '0')).join('-'))
    if (value.month === null) expect(value.day).toBeNull()
  }
  for (const inner of Object.values(value)) expectIsoAsPreciseAsDate(inner)
}

/** What a record fills must be declared, or the admin API would call a filled field "not supplied". */
export function expectDeclared(provider: Provider, kind: Kind, { record }: Projection): void {
  const declared = provider.supplies[kind]
  expect(filledPaths(record, declared).filter((path) => !declared.has(path))).toEqual([])
}

function filledPaths(value: unknown, declared: ReadonlySet<string>, path = ''): string[] {
  if (value === null || value === false || value === '') return []
  if (declared.has(path) || typeof value !== 'object') return [path]
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => filledPaths(item, declared, path)))]
  return Object.entries(value).flatMap(([key, inner]) => filledPaths(inner, declared, path ? `${path}.${key}` : key))
}

/** Every declared path must exist in the contract. */
export function expectKnownPaths(kind: Kind, paths: ReadonlySet<string>): void {
  const schema: unknown = kind === 'people' ? Person : Company
  expect([...paths].filter((path) => !exists(schema, path.split('.')))).toEqual([])
}

function exists(schema: unknown, [key, ...rest]: string[]): boolean {
  if (key === undefined) return true
  return shapes(schema).some((shape) => key in shape && exists(shape[key], rest))
}

/** The properties of an object schema, through lists and unions. */
function shapes(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return []
  if ('properties' in schema && typeof schema.properties === 'object') return [{ ...schema.properties }]
  if ('items' in schema) return shapes(schema.items)
  return 'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(shapes) : []
}
