import type { Kind } from '@vitae/contract'
import { brokenRules } from '@vitae/provider/conformance'
import { expect } from 'vitest'

/** Checks every contract rule that the record alone can show. */
export function expectContractRules(kind: Kind, record: unknown): void {
  expect(brokenRules(kind, record)).toEqual([])
}
