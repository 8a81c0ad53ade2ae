import { globSync } from 'node:fs'
import { join } from 'node:path'

/** A part of the service whose tests are tried out, and the tests that have to notice. */
export interface Subject {
  folder: string
  /** Under `service/src`. */
  files: readonly string[]
  /** The long ones last: most mutants are dead before they begin. */
  tests: readonly string[]
  /** How much longer than its tests a mutant may take, in milliseconds, where some loop for ever. */
  timeoutMs?: number
}

const service = join(import.meta.dirname, '../..')
const sources = (pattern: string) => globSync(pattern, { cwd: join(service, 'src') }).toSorted()
const identifierTests = ['refusals', 'site-domain', 'alias', 'parse-identifier', 'find-ref.engines']
const matchTest = (name: string) => `service/test/lookup/match/${name}.test.ts`

/** What money, prices, rights, freshness and identity are decided by: pure code, whose tests are fast enough for a run per mutant. */
export const subjects: readonly Subject[] = [
  {
    folder: 'credits/decision',
    files: sources('credits/decision/*.ts'),
    tests: globSync('service/test/credits/decision/*.test.ts', { cwd: join(service, '..') }).toSorted(
      (one, other) => Number(one.includes('-laws.')) - Number(other.includes('-laws.')) || one.localeCompare(other),
    ),
  },
  {
    folder: 'credits/prices',
    files: sources('credits/prices/*.ts'),
    tests: ['price-note', 'price-books', 'price-book', 'compiled-book'].map(
      (name) => `service/test/credits/prices/${name}.test.ts`,
    ),
    timeoutMs: 20_000,
  },
  {
    folder: 'accounts/key-rights',
    files: ['accounts/key-rights.ts'],
    tests: ['service/test/accounts/key-rights.test.ts'],
  },
  {
    folder: 'accounts/key-rights',
    files: ['accounts/api-key.ts'],
    tests: ['service/test/accounts/api-key.test.ts'],
    timeoutMs: 20_000,
  },
  {
    folder: 'accounts/key-rights',
    // From where a key may be used, and what its environment may be answered by.
    files: ['foundation/networks.ts', 'foundation/environments/route.ts'],
    tests: ['networks', 'route'].map((name) => `service/test/foundation/${name}.test.ts`),
  },
  {
    folder: 'accounts/key-rights',
    // From the text of a key to all that decides on its calls.
    files: ['accounts/key-cache.ts', 'accounts/find-key.ts'],
    tests: ['service/test/accounts/caller-of-key.engines.test.ts'],
  },
  // Not `answer-match` and `companies-of-site`, which ask the store and providers: a service for each mutant takes too long.
  {
    folder: 'records/names',
    files: sources('records/names/*.ts'),
    tests: [
      ...['compare-scripts', 'compare-names', 'contradict'].map((name) => `service/test/records/names/${name}.test.ts`),
      matchTest('expectations'),
    ],
  },
  {
    folder: 'records/names',
    // What names are compared with: folded texts, and letters apart.
    files: ['foundation/text/fold-text.ts', 'foundation/text/nearest-name.ts'],
    tests: ['foundation/text/fold-text', 'foundation/text/nearest-name'].map((name) => `service/test/${name}.test.ts`),
    timeoutMs: 20_000,
  },
  {
    folder: 'lookup/match',
    files: ['demands', 'expectations'].map((name) => `lookup/match/${name}.ts`),
    tests: ['demands', 'expectations'].map(matchTest),
  },
  {
    folder: 'lookup/match',
    files: ['read-expected', 'read-input', 'sample-of', 'learned-names'].map((name) => `lookup/match/${name}.ts`),
    tests: ['read-input', 'sample-of', 'learned-names'].map(matchTest),
  },
  {
    folder: 'lookup/freshness',
    files: ['lookup/freshness.ts'],
    tests: ['freshness-reasons', 'freshness'].map((name) => `service/test/lookup/${name}.test.ts`),
  },
  {
    folder: 'records/identifiers',
    files: sources('records/identifiers/*.ts'),
    // Not those that read every character that there is: that takes too long for a run per mutant.
    tests: identifierTests.map((name) => `service/test/records/identifiers/${name}.test.ts`),
  },
  {
    folder: 'records/entities',
    files: ['records/entities/choose-entity.ts'],
    tests: ['service/test/records/entities/choose-entity.test.ts'],
  },
  {
    folder: 'records/entities',
    files: ['resolve-entity', 'merge-entities', 'alias-rows', 'company-pages'].map(
      (name) => `records/entities/${name}.ts`,
    ),
    tests: ['company-pages', 'alias-rows', 'settled-entity', 'resolve-entity'].map(
      (name) => `service/test/records/entities/${name}.engines.test.ts`,
    ),
  },
]
