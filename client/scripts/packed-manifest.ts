/**
 * Inside the workspace the package is its TypeScript source, so that nothing has to be built; a packed one is its
 * build, because Node strips no types below node_modules. npm has no setting for that (other package managers read
 * `publishConfig`, as this does), so prepack writes the packed manifest and postpack puts ours back.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Manifest = { exports: unknown; scripts?: unknown; publishConfig: { access?: string } }

const manifest = join(import.meta.dirname, '../package.json')
const kept = join(import.meta.dirname, '../package.kept.json')

if (process.argv[2] === 'write') write()
else if (existsSync(kept)) renameSync(kept, manifest)

function write(): void {
  // One that is still there was left by a pack that died: it is the true manifest.
  if (!existsSync(kept)) copyFileSync(manifest, kept)
  const { scripts: _scripts, publishConfig, ...rest } = JSON.parse(readFileSync(kept, 'utf8')) as Manifest
  // `main` and `types` are for compilers that do not read `exports` (moduleResolution node10).
  const { access, ...built } = publishConfig
  writeFileSync(manifest, `${JSON.stringify({ ...rest, ...built, publishConfig: { access } }, null, 2)}\n`)
}
