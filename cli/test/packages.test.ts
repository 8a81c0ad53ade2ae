import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const packages = ['contract', 'client', 'service', 'cli']
const run = promisify(execFile)

/** npm's own variables would make it believe that it still runs in this workspace. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** Packs a copy of the checkout, so that the checkout itself keeps its manifests at every moment. */
async function packInto(folder: string): Promise<void> {
  const copy = join(folder, 'checkout')
  mkdirSync(copy)
  const skipped = /\/(node_modules|dist|test|fake-provider)$/
  for (const part of ['tsconfig.json', 'package.json', 'scripts', ...packages]) {
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => !skipped.test(path) })
  }
  mkdirSync(join(copy, 'console/dist/assets'), { recursive: true })
  if (existsSync(join(root, 'console/dist')))
    cpSync(join(root, 'console/dist'), join(copy, 'console/dist'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const name of packages) {
    await run('npm', ['pack', '--offline', '--silent'], { cwd: join(copy, name), env })
    const into = join(folder, 'empty/node_modules/@vitae', name)
    mkdirSync(into, { recursive: true })
    await run('tar', ['xzf', join(copy, name, `vitae-${name}-0.1.0.tgz`), '-C', into, '--strip-components=1'])
  }
}

/** What npm would install beside the packages; linked, because tests may have no network. */
function linkDependencies(folder: string): void {
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const target = join(folder, 'empty/node_modules', name)
    if (!name.startsWith('.') && !existsSync(target)) symlinkSync(join(root, 'node_modules', name), target)
  }
}

test('the packed service and command line run in an empty folder', { timeout: 400_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-packages-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await packInto(folder)
  linkDependencies(folder)
  const empty = join(folder, 'empty')

  const bin = join(empty, 'node_modules/@vitae/cli/bin/vitae.js')
  const service = spawn(process.execPath, [bin, 'serve', '--demo'], {
    cwd: empty,
    env: { ...env, PORT: '0', LOG_LEVEL: 'error', VITAE_DATA_DIR: join(empty, 'data') },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => service.once('exit', resolve))
  onTestFinished(async () => {
    service.kill('SIGKILL')
    await ended
  })
  const file = join(empty, 'data/service.json')
  for (let waited = 0; !existsSync(file) && waited < 300_000; waited += 100) await pause(100)

  const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url: string }
  const keys = JSON.parse(readFileSync(join(empty, 'data/demo-keys.json'), 'utf8')) as { live_key: string }
  const answer = await fetch(`${url}/v1/people/profile?profile_id=amara-okafor`, { headers: { ApiKey: keys.live_key } })
  expect(answer.status).toBe(200)
  expect((await answer.json()) as object).toMatchObject({ public_identifier: 'amara-okafor' })
})
