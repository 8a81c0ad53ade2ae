import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
export const distFolder = join(root, 'dist')

/** Builds the console if its sources are newer than the build. Parallel tests may both do it. */
export function ensureBuilt(): void {
  if (existsSync(distFolder) && newestIn('src') < statSync(join(distFolder, 'index.html')).mtimeMs) return
  const scratch = join(root, '../.tmp')
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, 'console-'))
  const [made, old] = [join(folder, 'new'), join(folder, 'old')]
  const { resolve } = createRequire(join(root, 'package.json'))
  const vite = join(dirname(resolve('vite/package.json')), 'bin/vite.js')
  const { status, stderr } = spawnSync(process.execPath, [vite, 'build', '--outDir', made, '--emptyOutDir'], {
    cwd: root,
    // The production build. Vitest sets `test`, which adds file names and lines to the bundle.
    env: { ...process.env, NODE_ENV: 'production' },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the console does not build:\n${stderr}`)
  try {
    if (existsSync(distFolder)) renameSync(distFolder, old)
    renameSync(made, distFolder)
  } catch {
    // Another test has built the same sources first.
  }
  rmSync(folder, { recursive: true, force: true })
}

function newestIn(folder: string): number {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return Math.max(
    ...[...names.map((name) => join(folder, name)), 'index.html', 'landing.html', 'vite.config.ts'].map(
      (name) => statSync(join(root, name)).mtimeMs,
    ),
  )
}
