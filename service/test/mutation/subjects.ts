import { globSync } from 'node:fs'
import { join } from 'node:path'

/** A part of the service to mutate, and the tests that must detect the mutants. */
export interface Subject {
  folder: string
  /** Under `service/src`. */
  files: readonly string[]
  /** Long tests last, because most mutants are killed before them. */
  tests: readonly string[]
  /** How much longer than its tests a mutant may take, in milliseconds, if some loop forever. */
  timeoutMs?: number
}

const service = join(import.meta.dirname, '../..')
const sources = (pattern: string) => globSync(pattern, { cwd: join(service, 'src') }).toSorted()
const identifierTests = ['refusals', 'site-domain', 'alias', 'parse-identifier', 'find-ref.engines']
const matchTest = (name: string) => `service/test/lookup/match/${name}.test.ts`

/**
 * The code that decides about money, prices, rights, freshness and identity. It is pure, so its tests are fast enough
 * for a run per mutant.
 */
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
    files: sources('credits/prices/*.ts').filter((file) => !file.endsWith('stored-price-books.ts')),
    tests: ['price-note', 'price-books', 'price-book', 'compiled-book'].map(
      (name) => `service/test/credits/prices/${name}.test.ts`,
    ),
    timeoutMs: 20_000,
  },
  {
    folder: 'accounts/key-rights',
    files: ['accounts/api-key.ts'],
    tests: ['service/test/accounts/api-key.test.ts'],
    timeoutMs: 20_000,
  },
  {
    folder: 'accounts/key-rights',
    // The networks that may use a key, and the providers of its environment.
    files: ['foundation/networks.ts', 'foundation/environments/route.ts'],
    tests: ['networks', 'route'].map((name) => `service/test/foundation/${name}.test.ts`),
  },
  {
    folder: 'accounts/key-rights',
    // From the text of a key to everything that decides about its calls.
    files: ['accounts/caller.ts', 'accounts/find-key.ts'],
    tests: ['key-rights.test.ts', 'caller-of-key.engines.test.ts'].map((name) => `service/test/accounts/${name}`),
  },
  // Without `answer-match` and `resolve-company`, which use the store and providers: a service per mutant takes too long.
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
    // The comparison of names: folded texts and letter distance.
    files: ['foundation/text/fold-text.ts', 'foundation/text/nearest-name.ts'],
    tests: ['foundation/text/fold-text', 'foundation/text/nearest-name'].map((name) => `service/test/${name}.test.ts`),
    timeoutMs: 20_000,
  },
  {
    folder: 'lookup/match',
    files: ['recall/demands', 'asked/expectations', 'match-input', 'fetch/learned-names'].map(
      (name) => `lookup/${name}.ts`,
    ),
    tests: ['demands', 'expectations', 'read-input', 'sample-of', 'learned-names'].map(matchTest),
  },
  {
    folder: 'lookup/freshness',
    files: ['lookup/asked/freshness.ts'],
    tests: ['freshness-reasons', 'freshness'].map((name) => `service/test/lookup/${name}.test.ts`),
  },
  {
    folder: 'records/identifiers',
    files: sources('records/identifiers/*.ts'),
    // Without tests over all Unicode characters, which take too long for a run per mutant.
    tests: identifierTests.map((name) => `service/test/records/identifiers/${name}.test.ts`),
  },
  {
    folder: 'records/entities',
    files: ['records/entities/choose-entity.ts'],
    tests: ['service/test/records/entities/choose-entity.test.ts'],
  },
  {
    folder: 'records/entities',
    files: ['entities/resolve-entity', 'entities/merge-entities', 'rows/alias-rows', 'rows/company-pages'].map(
      (name) => `records/${name}.ts`,
    ),
    tests: ['company-pages', 'alias-rows', 'settled-entity', 'resolve-entity'].map(
      (name) => `service/test/records/entities/${name}.engines.test.ts`,
    ),
  },
]
