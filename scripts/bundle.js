// Plain JavaScript, because it runs at the end of every npm ci, on any Node. Builds dist/ (or the given folder), from
// which the service starts several times faster: decision 16.
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { changesOf, checkout, digestOf, findBundle } from '../cli/bin/bundle.js'

const unlessFresh = process.argv[2] === '--unless-fresh'
if (unlessFresh && findBundle() !== null) process.exit()

const folder = resolve((unlessFresh ? null : process.argv[2]) ?? join(checkout, 'dist'))
const sqlite = 'service/src/database/sqlite'
/**
 * Each thread's entry is a separate module, because threads load it by name from the folder of the module that starts
 * them.
 */
const input = {
  main: 'cli/src/main.ts',
  // For tests, which start them in ways that operators cannot.
  service: 'service/src/main.ts',
  reports: `${sqlite}/reader/reports.ts`,
  'sqlite-thread': `${sqlite}/sqlite-thread.ts`,
  'checkpoint-thread': `${sqlite}/checkpoint-thread.ts`,
  'reader-process': `${sqlite}/reader/reader-process.ts`,
  'report-process': `${sqlite}/reader/report-process.ts`,
  operations: 'service/src/app/store/operations.ts',
}
/** These files decide how imports resolve, so a change makes the bundle stale. */
const manifests = [
  'package-lock.json',
  ...['contract', 'provider', 'service', 'client', 'cli'].map((name) => `${name}/package.json`),
]

const isOurs = (id) => id.startsWith(checkout) && !id.includes('node_modules')

const plugin = {
  name: 'vitae',
  transform(code, id) {
    // Traces need source maps only for our own code.
    if (!isOurs(id)) return { code, map: { mappings: '' } }
    // Files next to a source are found there, not next to the bundle.
    const there = `(import.meta.dirname + ${JSON.stringify(`/${relative(folder, dirname(id))}`)})`
    return { code: code.replaceAll('import.meta.dirname', there), map: null }
  },
}

rmSync(folder, { recursive: true, force: true })
const bundle = await rolldown({ input, cwd: checkout, platform: 'node', plugins: [plugin] })
const { output } = await bundle.write({
  dir: folder,
  format: 'esm',
  chunkFileNames: '[name]-[hash].js',
  sourcemap: true,
  sourcemapExcludeSources: true,
})
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
const files = [...manifests, ...modules.filter(isOurs).map((id) => relative(checkout, id))]
// Written last, so that an incomplete bundle is never used.
writeFileSync(
  join(folder, 'made-from.json'),
  JSON.stringify({ digest: digestOf(files), changes: changesOf(files), files }),
)
