import type { Kind } from '@vitae/contract'
import { brokenRules } from '@vitae/provider/conformance'
import { expect } from 'vitest'

/** The record obeys every rule of the contract that can be seen in the record alone. */
export function expectContractRules(kind: Kind, record: unknown): void {
  expect(brokenRules(kind, record)).toEqual([])
}
