import type { Kind } from '@vitae/contract'
import type { Projection, Provider } from '@vitae/provider'
import { filledPaths, projectionFaults, unknownPaths } from '@vitae/provider/conformance'
import { expect } from 'vitest'
import { everyField } from '../../src/providers/contract-shape/every-field.ts'

/** Checks that the record obeys the contract, and that its identity matches. */
export function expectValidProjection(kind: Kind, projection: Projection): void {
  expect(projectionFaults(kind, projection, everyField)).toEqual([])
}

/** Filled fields must be declared, or the admin API would show a filled field as "not supplied". */
export function expectDeclared(provider: Provider, kind: Kind, { record }: Projection): void {
  const declared = provider.supplies[kind]
  expect(filledPaths(record, declared).filter((path) => !declared.has(path))).toEqual([])
}

/** Every declared path must exist in the contract. */
export function expectKnownPaths(kind: Kind, paths: ReadonlySet<string>): void {
  expect(unknownPaths(kind, { people: paths, companies: paths })).toEqual([])
}
