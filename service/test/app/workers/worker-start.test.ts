import cluster from 'node:cluster'
import { expect, onTestFinished, test } from 'vitest'
import { runWorkers, WorkerStartError } from '../../../src/app/workers/run-workers.ts'
import { createLog } from '../../../src/foundation/log.ts'

test('a worker that cannot be started is a failed start, and ends nothing else', async () => {
  const { cwd } = cluster.settings
  // Fails with an error and without an exit, as if the working folder were removed or the process limit reached.
  cluster.setupPrimary({ cwd: '/proc/no-such-folder' })
  onTestFinished(() => cluster.setupPrimary(cwd === undefined ? {} : { cwd }))

  const started = runWorkers({ count: 2, env: {}, log: createLog('silent', false) })

  await expect(started).rejects.toThrow(WorkerStartError)
})
