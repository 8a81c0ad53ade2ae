import { startEngines } from './start-engines.ts'

/** Starts PostgreSQL and Redis once for all files of the scale-out run; they learn the addresses from the environment. */
export default async function setup(): Promise<() => Promise<void>> {
  const engines = await startEngines()
  if (engines.postgresUrl) process.env['TEST_POSTGRES_URL'] = engines.postgresUrl
  if (engines.redisUrl) process.env['TEST_REDIS_URL'] = engines.redisUrl
  return () => engines.stop()
}
