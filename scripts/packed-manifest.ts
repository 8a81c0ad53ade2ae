/**
 * Inside the workspace a package is its TypeScript source, so it needs no build. A packed one contains the build,
 * because Node does not strip types below node_modules. prepack writes the manifest of the build, postpack restores
 * ours. Runs in the folder of the packed package.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

type Manifest = { exports?: Record<string, string>; scripts?: unknown }

const manifest = 'package.json'
const kept = 'package.kept.json'

if (process.argv[2] === 'write') write()
else restore()

function write(): void {
  // A copy that still exists is from an interrupted pack, so it is the original manifest.
  if (!existsSync(kept)) copyFileSync(manifest, kept)
  const { scripts: _scripts, exports, ...rest } = JSON.parse(readFileSync(kept, 'utf8')) as Manifest
  const built = exports
    ? { exports: Object.fromEntries(Object.entries(exports).map(([name, path]) => [name, builtPaths(path)])) }
    : {}
  copyFileSync('../LICENSE', 'LICENSE')
  writeFileSync(manifest, `${JSON.stringify({ ...rest, ...built }, null, 2)}\n`)
}

function builtPaths(source: string) {
  const stem = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '')
  const types = existsSync(`${stem}.d.ts`) ? { types: `${stem}.d.ts` } : {}
  return { ...types, default: `${stem}.js` }
}

function restore(): void {
  if (existsSync(kept)) renameSync(kept, manifest)
  rmSync('dist', { recursive: true, force: true })
  for (const carried of ['console-dist', 'guides', 'LICENSE']) rmSync(carried, { recursive: true, force: true })
}
