import type { Config } from './config.ts'

const pagesAtLeast = 2 * 1_048_576

/**
 * Divides VITAE_CACHE_MB: half for records, a sixteenth for the pages of the embedded engine. The rest is for records
 * that have left the cache and wait for the garbage collector, so that the total is what the operator allows.
 */
export function cacheBudget({ cacheBytes, databaseUrl }: Pick<Config, 'cacheBytes' | 'databaseUrl'>) {
  const pageBytes = databaseUrl === null ? Math.max(pagesAtLeast, Math.floor(cacheBytes / 16)) : 0
  return { recordBytes: Math.floor(cacheBytes / (databaseUrl === null ? 2 : 4 / 3)), pageBytes }
}
