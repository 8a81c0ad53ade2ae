import { Company, type Kind, Person } from '@vitae/contract'
import { expect } from 'vitest'
import type { Projection, Provider } from '@vitae/provider'
import { expectContractRules } from '../contract-rules.ts'

/** The record obeys the contract, and the identity is the one that stands in the record. */
export function expectValidProjection(kind: Kind, { record, identity }: Projection): void {
  expectContractRules(kind, record)
  expect('member_urn' in record ? record.member_urn : record.company_id).toBe(identity.key)
  expect(identity.derived).toBe(!/^(urn:li:member:)?\d+$/.test(identity.key))
  for (const alias of identity.aliases) expect(alias.value, alias.type).not.toBe('')
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
