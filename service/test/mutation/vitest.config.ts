import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const own = import.meta.dirname

/** One test that runs until it is ended: `mutant-session.ts`. The tests inside it get our `test` function. */
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
    // Only Stryker decides whether a mutant runs forever.
    testTimeout: 0,
  },
})
