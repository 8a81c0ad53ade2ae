import { availableParallelism } from 'node:os'
import type { EnvironmentReader } from './environment.ts'

/** The embedded store belongs to one process: several processes need PostgreSQL, on any number of cores. */
export function readWorkers(read: EnvironmentReader): number {
  const count = read.optional('VITAE_WORKERS', 'a whole number from 1 to 64, or auto', (text) => {
    if (text === 'auto') return availableParallelism()
    return /^([1-9]|[1-5]\d|6[0-4])$/.test(text) ? Number(text) : null
  })
  const setting = read.text('VITAE_WORKERS', '1')
  if (count !== null && setting !== '1' && read.text('DATABASE_URL') === null)
    read.complaints.push(
      `VITAE_WORKERS is ${JSON.stringify(setting)}, but the embedded store is served by one process: set DATABASE_URL and REDIS_URL, or leave VITAE_WORKERS unset`,
    )
  return count ?? 1
}

/** Nodes that share Redis but no database would each have their own credits and records. */
export function readRedisUrl(read: EnvironmentReader): string | null {
  const url = read.url('REDIS_URL', ['redis:', 'rediss:'], true)
  if (url !== null && read.secret('DATABASE_URL') === null)
    read.complaints.push(
      'REDIS_URL is set, but DATABASE_URL is not: the embedded store does not use Redis. Set DATABASE_URL, or leave REDIS_URL unset',
    )
  return url
}
