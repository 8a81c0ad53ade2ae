import { statSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Small files first: most mutants are dead before the long property tests begin. */
class SmallFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => statSync(one.moduleId).size - statSync(other.moduleId).size)
  }
}

/** Only the tests that `npm run mutate` names, always in the same order, and in one worker for each mutant. */
export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? '').split(' '),
    setupFiles: [join(import.meta.dirname, 'fixed-seed.ts')],
    isolate: false,
    sequence: { sequencer: SmallFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
