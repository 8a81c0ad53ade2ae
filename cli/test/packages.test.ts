import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const packages = ['contract', 'provider', 'client', 'service', 'cli']
const run = promisify(execFile)

/** npm's own variables would make it believe that it still runs in this workspace. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** Packs a copy of the checkout, so that the checkout itself keeps its manifests at every moment. */
async function packInto(folder: string): Promise<void> {
  const copy = join(folder, 'checkout')
  mkdirSync(copy)
  const skipped = /\/(node_modules|dist|test|fake-provider)$/
  for (const part of ['tsconfig.json', 'package.json', 'LICENSE', 'scripts', ...packages]) {
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => !skipped.test(path) })
  }
  cpSync(join(root, 'docs/guides'), join(copy, 'docs/guides'), { recursive: true })
  mkdirSync(join(copy, 'console/dist/assets'), { recursive: true })
  if (existsSync(join(root, 'console/dist')))
    cpSync(join(root, 'console/dist'), join(copy, 'console/dist'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  await run('npm', ['pack', '--offline', '--silent', ...packages.map((name) => `./${name}`)], { cwd: copy, env })
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

/** The pinned Node, and the machine's own where that is another one. */
async function nodes(): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  for (const path of [process.execPath, ...(env['PATH'] ?? '').split(delimiter).map((at) => join(at, 'node'))]) {
    const { stdout } = await run(path, ['--version']).catch(() => ({ stdout: 'v0' }))
    const major = Number.parseInt(stdout.slice(1), 10)
    if (major >= 20 && !found.has(major)) found.set(major, path)
  }
  if (found.size === 1) console.warn(`NOT RUN: the packages on another Node than ${[...found.keys()].join()}`)
  return found
}

/** Starts the packed command line in the empty folder, asks the doctor, makes one call, and stops it. */
async function expectToWork(node: string, empty: string): Promise<void> {
  const data = mkdtempSync(join(empty, 'data-'))
  const bin = join(empty, 'node_modules/@vitae/cli/bin/vitae.js')
  const own = { ...env, PORT: '0', LOG_LEVEL: 'error', VITAE_DATA_DIR: data }
  const service = spawn(node, [bin, 'serve', '--demo'], {
    cwd: empty,
    env: own,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => service.once('exit', resolve))
  try {
    const file = join(data, 'service.json')
    for (let waited = 0; !existsSync(file) && waited < 300_000 && service.exitCode === null; waited += 100)
      await pause(100)
    const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url: string }
    const keys = JSON.parse(readFileSync(join(data, 'demo-keys.json'), 'utf8')) as { live_key: string }
    const headers = { ApiKey: keys.live_key }
    const answer = await fetch(`${url}/v1/people/profile?profile_id=amara-okafor`, { headers })
    const doctor = await run(node, [bin, 'doctor', '--json'], { cwd: empty, env: own })
    const guide = await fetch(`${url}/docs/agents.md`)

    expect(answer.status).toBe(200)
    expect(await guide.text()).toMatch(/^# Agents/)
    expect((await answer.json()) as object).toMatchObject({ public_identifier: 'amara-okafor' })
    expect(JSON.parse(doctor.stdout)).toMatchObject({ ok: true, errors: 0 })
  } finally {
    // An older Node hands the signal on to the pinned one.
    service.kill('SIGTERM')
    await ended
  }
}

test(
  'packed, the command line starts the service in an empty folder, on every Node from 20',
  { timeout: 400_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitae-packages-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await packInto(folder)
    linkDependencies(folder)

    for (const name of packages)
      expect(existsSync(join(folder, 'empty/node_modules/@vitae', name, 'LICENSE'))).toBe(true)
    for (const node of (await nodes()).values()) await expectToWork(node, join(folder, 'empty'))
  },
)
