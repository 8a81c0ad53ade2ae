import { startEngines } from './start-engines.ts'

/** Starts PostgreSQL and Redis once for all test files; they learn the addresses from the environment. */
export default async function setup(): Promise<() => Promise<void>> {
  // A run of the embedded project alone needs none of them, and is quicker without.
  if (process.argv.join(' ').includes('--project embedded')) return async () => undefined
  const engines = await startEngines()
  if (engines.postgresUrl) process.env['TEST_POSTGRES_URL'] = engines.postgresUrl
  if (engines.redisUrl) process.env['TEST_REDIS_URL'] = engines.redisUrl
  return () => engines.stop()
}
