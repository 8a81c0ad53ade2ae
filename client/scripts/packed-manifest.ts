/**
 * Inside the workspace the package is its TypeScript source, so it needs no build. A packed one contains the build,
 * because Node does not strip types below node_modules. npm ignores the fields in `publishConfig` that other package
 * managers read, so prepack writes the packed manifest and postpack restores ours.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Manifest = { exports: unknown; scripts?: unknown; publishConfig: { access?: string } }

const manifest = join(import.meta.dirname, '../package.json')
const kept = join(import.meta.dirname, '../package.kept.json')

if (process.argv[2] === 'write') write()
else if (existsSync(kept)) renameSync(kept, manifest)

function write(): void {
  // A copy that still exists is from an interrupted pack, so it is the original manifest.
  if (!existsSync(kept)) copyFileSync(manifest, kept)
  const { scripts: _scripts, publishConfig, ...rest } = JSON.parse(readFileSync(kept, 'utf8')) as Manifest
  // `main` and `types` are for compilers that do not read `exports` (moduleResolution node10).
  const { access, ...built } = publishConfig
  writeFileSync(manifest, `${JSON.stringify({ ...rest, ...built, publishConfig: { access } }, null, 2)}\n`)
}
