import { createHash } from 'node:crypto'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Threads and processes that tests start come up quicker the second time.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'vitae-compile-cache')

/**
 * The order of tests and the cases of property tests are the same for everybody: what was green here is what CI runs. `test:long` draws
 * others by chance, and VITAE_TEST_SEED chooses one.
 */
const usualSeed = 83_122_169
const seed = Number(process.env['VITAE_TEST_SEED'] ?? (process.env['VITAE_TEST_LONG'] ? Date.now() : usualSeed))
process.env['VITAE_TEST_SEED'] = String(seed)

/** Enough for the slowest test on a machine that builds other things at the same time. */
const patienceMs = 180_000
const shared = {
  testTimeout: patienceMs,
  hookTimeout: patienceMs,
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks' as const,
  // One process runs many files one after the other, and loads the service once.
  isolate: false,
  setupFiles: ['./service/test/harness/seed-properties.ts'],
}
const everywhere = '{contract,provider,service,client,client-python,cli,console,bench}/test/**/*.test.ts'
/**
 * What a store promises holds on both engines, and is tested on both. The console asks neither of them: its journeys over
 * PostgreSQL are left to `test:long`.
 */
const onBothEngines = `${process.env['VITAE_TEST_LONG'] ? '{service,console}' : 'service'}/test/**/*.engines.test.ts`
const onlyScaleOut = '{service,bench}/test/**/*.scale-out.test.ts'

/** Files that take longest: begun last, they would leave the other cores idle at the end. */
const longest =
  /(backup|both-clients|commands|crash|every-page|guides|hostile-input|journeys|manners|outside-provider|package|power-cut|reports|restore|simulation)[\w.-]*test\.ts$/

/**
 * Any order, so that no test may need another one to have run before it; but one project after the other, because a worker
 * that must change projects ends, and the next one loads the service again.
 */
class ProjectAfterProject extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config
    const placeOf = ({ project, moduleId }: TestSpecification) => {
      const random = createHash('sha1')
        .update(`${sequence.seed} ${relative(root, moduleId)}`)
        .digest('hex')
      return project.name === 'scale-out' ? random : `then ${longest.test(moduleId) ? 1 : 2} ${random}`
    }
    return Promise.resolve(files.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)))
  }
}

export default defineConfig({
  test: {
    // Two more than cores: most tests wait now and then, for a disk, a process or a browser.
    maxWorkers: availableParallelism() + 2,
    sequence: { seed, shuffle: true, sequencer: ProjectAfterProject },
    projects: [
      {
        test: { ...shared, name: 'embedded', include: [everywhere], exclude: [onlyScaleOut, '**/node_modules/**'] },
      },
      {
        test: {
          ...shared,
          name: 'scale-out',
          include: [onBothEngines, onlyScaleOut],
          env: { VITAE_TEST_ENGINE: 'postgres' },
          globalSetup: './service/test/harness/global-setup.ts',
        },
      },
    ],
  },
})
