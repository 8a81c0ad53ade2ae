import { statSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Small files first, laws and tests with a store last: most mutants are dead before the long tests begin. */
class ShortFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weight = ({ moduleId }: TestSpecification) =>
      statSync(moduleId).size * (/-laws\.|\.engines\./.test(moduleId) ? 99 : 1)
    return files.toSorted((one, other) => weight(one) - weight(other))
  }
}

/** Only the tests that `npm run mutate` names, always in the same order, and in one worker for each mutant. */
export default defineConfig({
  test: {
    include: [process.env['MUTATION_TESTS'] ?? ''],
    setupFiles: [join(import.meta.dirname, 'fixed-seed.ts')],
    isolate: false,
    sequence: { sequencer: ShortFirst },
    // Only Stryker decides that a mutant runs for ever.
    testTimeout: 0,
    hookTimeout: 0,
  },
})
