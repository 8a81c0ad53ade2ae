import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
export const packages = ['contract', 'provider', 'client', 'service', 'cli']
const run = promisify(execFile)

/** npm's own variables would make it believe that it still runs in this workspace. */
export const npmEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** Packs a copy of the checkout, so that the checkout itself keeps its manifests at every moment. */
async function packInto(folder: string): Promise<void> {
  const copy = join(folder, 'checkout')
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
    const into = join(folder, 'empty/node_modules/@vitae', name)
    mkdirSync(into, { recursive: true })
    await run('tar', ['xzf', join(copy, `vitae-${name}-${version}.tgz`), '-C', into, '--strip-components=1'])
  }
}

/** What npm would install beside the packages, which is what they name; linked, because tests may have no network. */
function linkDependencies(folder: string): void {
  const modules = join(folder, 'empty/node_modules')
  for (const name of packages) {
    const manifest = readFileSync(join(modules, '@vitae', name, 'package.json'), 'utf8')
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(manifest) as Record<string, object>
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const target = join(modules, needed)
      mkdirSync(dirname(target), { recursive: true })
      // The Node of another processor is not installed here.
      const isThere = existsSync(join(root, 'node_modules', needed))
      if (isThere && !existsSync(target)) symlinkSync(join(root, 'node_modules', needed), target)
    }
  }
}

/** Packs all packages and puts them into an empty folder as npm would; gives that folder. */
export async function installPackages(folder: string): Promise<string> {
  await packInto(folder)
  linkDependencies(folder)
  return join(folder, 'empty')
}
