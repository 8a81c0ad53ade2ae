import { defineConfig } from 'vitest/config'

/** A machine that builds many things at once is slow now and then: there a test gets more time, and a second chance. */
const onCi = process.env['CI'] !== undefined
const patienceMs = onCi ? 180_000 : 60_000
const shared = { testTimeout: patienceMs, hookTimeout: patienceMs, retry: onCi ? 2 : 0, pool: 'forks' as const }
const everywhere = '{contract,service,client,cli,console,bench}/test/**/*.test.ts'
/** What a store promises holds on both engines, and is tested on both. */
const onBothEngines = 'service/test/**/*.engines.test.ts'
const onlyScaleOut = 'service/test/**/*.scale-out.test.ts'

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: './service/test/harness/global-setup.ts',
    projects: [
      { test: { ...shared, name: 'embedded', include: [everywhere], exclude: [onlyScaleOut, '**/node_modules/**'] } },
      {
        test: {
          ...shared,
          name: 'scale-out',
          include: [onBothEngines, onlyScaleOut],
          env: { VITAE_TEST_ENGINE: 'postgres' },
        },
      },
    ],
  },
})
