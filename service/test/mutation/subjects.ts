import { globSync } from 'node:fs'
import { join } from 'node:path'

/** A part of the service whose tests are tried out, and the tests that have to notice. */
export interface Subject {
  folder: string
  /** Under `service/src`. */
  files: readonly string[]
  /** A pattern. */
  tests: string
}

const cwd = join(import.meta.dirname, '../../src')
const identifiers = globSync('records/identifiers/*.ts', { cwd }).toSorted()
const ofStored = /\/(alias|find-ref|site-domain)\.ts$/

/** What money, freshness and identity are decided by: pure code, whose tests are fast enough for a run per mutant. */
export const subjects: readonly Subject[] = [
  {
    folder: 'credits/decision',
    files: globSync('credits/decision/*.ts', { cwd }).toSorted(),
    tests: 'service/test/credits/decision/*.test.ts',
  },
  {
    folder: 'lookup/freshness',
    files: ['lookup/freshness.ts'],
    tests: 'service/test/lookup/freshness.test.ts',
  },
  {
    folder: 'records/identifiers',
    files: identifiers.filter((file) => !ofStored.test(file)),
    // Reading every character that there is takes too long for a run per mutant.
    tests: 'service/test/records/identifiers/{parse-identifier,parse-ref,refusals}.test.ts',
  },
  {
    folder: 'records/identifiers',
    files: identifiers.filter((file) => ofStored.test(file)),
    tests: 'service/test/records/identifiers/{alias,find-ref.engines,site-domain}.test.ts',
  },
]
