/** A part of the service whose tests are tried out, and the tests that have to notice. */
export interface Subject {
  /** Under `service/src`. */
  name: string
  mutate: string
  tests: readonly string[]
}

/** What money, freshness and identity are decided by: pure code, whose tests are fast enough for a run per mutant. */
export const subjects: readonly Subject[] = [
  {
    name: 'credits/decision',
    mutate: 'service/src/credits/decision/*.ts',
    tests: ['service/test/credits/decision/*.test.ts'],
  },
  {
    name: 'lookup/freshness',
    mutate: 'service/src/lookup/freshness.ts',
    tests: ['service/test/lookup/freshness.test.ts'],
  },
  {
    name: 'records/identifiers',
    mutate: 'service/src/records/identifiers/*.ts',
    tests: ['service/test/records/identifiers/*.test.ts'],
  },
]
