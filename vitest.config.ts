import { createHash } from 'node:crypto'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Speeds up later starts of the threads and processes that tests start.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'vitae-compile-cache')

/**
 * The order of tests and the cases of property tests are the same on every machine and in CI. `test:long` draws a random seed,
 * and VITAE_TEST_SEED sets one.
 */
const usualSeed = 83_122_169
const seed = Number(process.env['VITAE_TEST_SEED'] ?? (process.env['VITAE_TEST_LONG'] ? Date.now() : usualSeed))
process.env['VITAE_TEST_SEED'] = String(seed)

/**
 * Enough for the slowest test at a load of 15 per core. Tests and hooks set no shorter limit of their own: they wait for a
 * condition.
 */
const patienceMs = 600_000
const shared = {
  testTimeout: patienceMs,
  hookTimeout: patienceMs,
  expect: { poll: { timeout: patienceMs / 2 } },
  pool: 'forks' as const,
  // One process runs many files one after another, and loads the service once.
  isolate: false,
  // Node imports TypeScript itself. Modules that Vite transforms load and run more slowly.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: ['./service/test/harness/seed-properties.ts'],
}
const everywhere = '{contract,provider,service,client,client-python,cli,console,bench}/test/**/*.test.ts'
/**
 * Store guarantees are tested on both engines. The console does not depend on the engine, so only `test:long` runs its journeys
 * on PostgreSQL.
 */
const onBothEngines = `${process.env['VITAE_TEST_LONG'] ? '{service,console}' : 'service'}/test/**/*.engines.test.ts`
/** Their rules are decided above the store, and other files run the same statements. Only `test:long` runs them on PostgreSQL. */
const aboveStore =
  'service/test/**/{batch-packed,chain,decision-table,drift,expect,fair-misses,faults,faulty-modules,freshness-settings,hang-ups,paid-parts,row-faults}.engines.test.ts'
const onlyScaleOut = '{service,bench}/test/**/*.scale-out.test.ts'

/** The slowest files. They start first, because otherwise they would leave the other cores idle at the end. */
const longest =
  /(backup|batch-nodes|bench|both-clients|bounded|chaos|commands|crash|drift|erasure-readers|every-page|guides|hostile-input|inbox|journeys|manners|outbox|outside-provider|package|postgres-lost|power-cut|process-end|rate-limits|reference-page|reports|restore|simulation|slow-|suppressed-looks|world)[\w.-]*test\.ts$/

/**
 * Random order, so that no test depends on another one. Projects run one after another, because a worker that changes projects
 * ends, and the next one loads the service again.
 */
class ProjectAfterProject extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config
    const placeOf = ({ project, moduleId }: TestSpecification) => {
      const random = createHash('sha1')
        .update(`${sequence.seed} ${relative(root, moduleId)}`)
        .digest('hex')
      return `${project.name === 'scale-out' ? 1 : 2} ${longest.test(moduleId) ? 1 : 2} ${random}`
    }
    return Promise.resolve(files.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)))
  }
}

export default defineConfig({
  test: {
    // Two more than cores, because most tests sometimes wait for a disk, a process or a browser.
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
          exclude: [...(process.env['VITAE_TEST_LONG'] ? [] : [aboveStore]), '**/node_modules/**'],
          env: { VITAE_TEST_ENGINE: 'postgres' },
          globalSetup: './service/test/harness/global-setup.ts',
        },
      },
    ],
  },
})
