import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkout, findBundle } from '../../../cli/bin/bundle.js'

/** `npm run faults` plants mistakes into sources only. */
const bundle = process.env['VITAE_PLANT'] === undefined ? findBundle() : null
const entries: Record<string, string> = {
  'service/src/main.ts': 'service.js',
  'service/src/app/store/operations.ts': 'operations.js',
  'service/src/database/sqlite/sqlite-thread.ts': 'sqlite-thread.js',
  'service/src/database/sqlite/reader/reports.ts': 'reports.js',
}

/**
 * The URL of a source, or of the same code in the bundle if that is fresh: a process or thread loads it from there in a fifth of the
 * CPU time. Other modules, such as a test's own operations, stay unchanged. All modules of a thread come from one place, because
 * each has its own class of failures.
 */
export function fromBundle(url: string): string {
  const entry = url.startsWith('file:') ? entries[relative(checkout, fileURLToPath(url))] : undefined
  if (bundle === null || entry === undefined) return url
  const bundled = new URL(entry, bundle)
  // A bundle of an earlier version may lack it.
  return existsSync(bundled) ? bundled.href : url
}
