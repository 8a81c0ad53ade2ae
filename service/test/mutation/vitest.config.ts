import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const own = import.meta.dirname

/** One test that runs until it is told to end: `mutant-session.ts`. The tests that it runs get their `test` from us. */
export default defineConfig({
  plugins: [
    {
      name: 'tests-as-values',
      enforce: 'pre',
      resolveId: (id, importer = '') =>
        id === 'vitest' && !importer.startsWith(own) ? join(own, 'test-registry.ts') : null,
    },
  ],
  test: {
    include: ['service/test/mutation/mutant-session.ts'],
    pool: 'threads',
    isolate: false,
    // Only Stryker decides that a mutant runs for ever.
    testTimeout: 0,
  },
})
