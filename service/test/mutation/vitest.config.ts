import { statSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Small files first, and those with a store last: most mutants are dead before the long tests begin. */
class SmallFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weight = ({ moduleId }: TestSpecification) =>
      statSync(moduleId).size * (moduleId.includes('.engines.') ? 99 : 1)
    return files.toSorted((one, other) => weight(one) - weight(other))
  }
}

/** Only the tests that `npm run mutate` names, always in the same order, and in one worker for each mutant. */
export default defineConfig({
  test: {
    include: [process.env['MUTATION_TESTS'] ?? ''],
    setupFiles: [join(import.meta.dirname, 'fixed-seed.ts')],
    isolate: false,
    sequence: { sequencer: SmallFirst },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
