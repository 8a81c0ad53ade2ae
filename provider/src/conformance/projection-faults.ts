import { Company, type Kind, Person } from '@vitae/contract'
import type { Projection, Supplies } from '../provider.ts'
import { brokenRules } from './contract-rules.ts'

/** The faults of a projection: in the record, in the identity, and in the declared `supplies`. */
export function projectionFaults(kind: Kind, projection: Projection, supplies: Supplies): string[] {
  const { record, identity } = projection
  const undeclared = filledPaths(record, supplies[kind]).filter((path) => !supplies[kind].has(path))
  const own = 'member_urn' in record ? record.member_urn : record.company_id
  return [
    ...brokenRules(kind, record),
    ...(own === identity.key
      ? []
      : [`identity.key is not the record's own (${kind === 'people' ? 'member_urn' : 'company_id'})`]),
    ...(identity.derived === !/^(urn:li:member:)?\d+$/.test(identity.key)
      ? []
      : ['identity.derived does not fit the key']),
    ...(identity.aliases.every(({ value }) => value !== '') ? [] : ['an alias is empty']),
    ...undeclared.map((path) => `${path} is filled, but not in supplies.${kind}`),
  ]
}

/** Paths in `supplies` that the contract does not have. */
export function unknownPaths(kind: Kind, supplies: Supplies): string[] {
  const schema: unknown = kind === 'people' ? Person : Company
  return [...supplies[kind]].filter((path) => !exists(schema, path.split('.')))
}

/** The paths of all non-empty leaves of a record. A declared path counts as one leaf. */
export function filledPaths(value: unknown, declared: ReadonlySet<string>, path = ''): string[] {
  if (value === null || value === false || value === '') return []
  if (declared.has(path) || typeof value !== 'object') return [path]
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => filledPaths(item, declared, path)))]
  return Object.entries(value).flatMap(([key, inner]) => filledPaths(inner, declared, path ? `${path}.${key}` : key))
}

function exists(schema: unknown, [key, ...rest]: string[]): boolean {
  if (key === undefined) return true
  return shapes(schema).some((shape) => key in shape && exists(shape[key], rest))
}

/** The property schemas of an object schema, including those inside lists and unions. */
function shapes(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return []
  if ('properties' in schema && typeof schema.properties === 'object') return [{ ...schema.properties }]
  if ('items' in schema) return shapes(schema.items)
  return 'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(shapes) : []
}
