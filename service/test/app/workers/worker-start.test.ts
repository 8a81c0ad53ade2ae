import cluster from 'node:cluster'
import { expect, onTestFinished, test } from 'vitest'
import { runWorkers, WorkerStartError } from '../../../src/app/workers/run-workers.ts'
import { createLog } from '../../../src/foundation/log.ts'

test('a worker that cannot even be started is a failed start, and ends nothing else', async () => {
  const { cwd } = cluster.settings
  // As after the working folder was removed, or with as many processes as there may be: there is an error and no exit.
  cluster.setupPrimary({ cwd: '/proc/no-such-folder' })
  onTestFinished(() => cluster.setupPrimary(cwd === undefined ? {} : { cwd }))

  const started = runWorkers({ count: 2, env: {}, log: createLog('silent', false) })

  await expect(started).rejects.toThrow(WorkerStartError)
})
