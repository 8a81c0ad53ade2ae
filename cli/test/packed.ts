import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
export const packages = ['contract', 'provider', 'client', 'service', 'cli']
const run = promisify(execFile)

/** Without npm's own variables, which would make it think that it still runs in this workspace. */
export const npmEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/**
 * The tarballs of all packages, packed once per test run, because packing takes longer than the tests. The first user
 * packs, and the others wait. The folder is removed with the run's.
 */
export async function packedTarballs(): Promise<(name: string) => string> {
  const folder = join(tmpdir(), `vitae-packed-${process.ppid}`)
  const ended = join(folder, 'ended.json')
  if (isFirst(folder)) {
    const error = await pack(join(folder, 'checkout')).then(
      () => null,
      (reason: unknown) => String(reason),
    )
    writeFileSync(`${ended}.new`, JSON.stringify({ error }))
    renameSync(`${ended}.new`, ended)
  }
  while (!existsSync(ended)) await pause(100)
  const { error } = JSON.parse(readFileSync(ended, 'utf8')) as { error: string | null }
  if (error !== null) throw new Error(`npm pack failed: ${error}`)
  return (name) => join(folder, 'checkout', `vitae-${name}-${version}.tgz`)
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** Packs a copy of the checkout, so that the checkout itself keeps its manifests. */
async function pack(copy: string): Promise<void> {
  mkdirSync(copy)
  const skipped = /\/(node_modules|dist|test|fake-provider)$/
  for (const part of ['tsconfig.json', 'package.json', '.env.example', 'LICENSE', 'scripts', ...packages]) {
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => !skipped.test(path) })
  }
  cpSync(join(root, 'docs/guides'), join(copy, 'docs/guides'), { recursive: true })
  mkdirSync(join(copy, 'console/dist/assets'), { recursive: true })
  if (existsSync(join(root, 'console/dist')))
    cpSync(join(root, 'console/dist'), join(copy, 'console/dist'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  await run('npm', ['pack', '--offline', '--silent', ...packages.map((name) => `./${name}`)], {
    cwd: copy,
    env: npmEnv,
  })
  for (const name of packages) {
    const manifest = `${name}/package.json`
    if (readFileSync(join(copy, manifest), 'utf8') !== readFileSync(join(root, manifest), 'utf8'))
      throw new Error(`packing has changed ${manifest}`)
  }
}

/** Unpacks a package as npm would. */
export async function unpack(tarball: string, modules: string, name: string): Promise<void> {
  const into = join(modules, '@vitae', name)
  mkdirSync(into, { recursive: true })
  await run('tar', ['xzf', tarball, '-C', into, '--strip-components=1'])
}

/** Links the dependencies that npm would install beside the packages, because tests may have no network. */
function linkDependencies(folder: string): void {
  const modules = join(folder, 'empty/node_modules')
  for (const name of packages) {
    const manifest = readFileSync(join(modules, '@vitae', name, 'package.json'), 'utf8')
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(manifest) as Record<string, object>
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const target = join(modules, needed)
      mkdirSync(dirname(target), { recursive: true })
      // The Node package of another processor is not installed here.
      const isThere = existsSync(join(root, 'node_modules', needed))
      if (isThere && !existsSync(target)) symlinkSync(join(root, 'node_modules', needed), target)
    }
  }
}

/** Installs all packed packages into an empty folder as npm would; returns that folder. */
export async function installPackages(folder: string): Promise<string> {
  const tarball = await packedTarballs()
  for (const name of packages) await unpack(tarball(name), join(folder, 'empty/node_modules'), name)
  linkDependencies(folder)
  return join(folder, 'empty')
}
