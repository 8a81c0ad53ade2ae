import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { installPackages, npmEnv as env, packages } from './packed.ts'

const run = promisify(execFile)

/**
 * The machine's own Node if it is a different one, otherwise the pinned one. `guides/outside-provider.test.ts` always serves the
 * same packages on the pinned one.
 */
async function ownNode(): Promise<string> {
  for (const path of (env['PATH'] ?? '').split(delimiter).map((at) => join(at, 'node'))) {
    const { stdout } = await run(path, ['--version']).catch(() => ({ stdout: 'v0' }))
    if (Number.parseInt(stdout.slice(1), 10) >= 20 && stdout.trim() !== process.version) return path
  }
  console.warn(`NOT RUN: the packages on another Node than ${process.version}`)
  return process.execPath
}

/** Starts the packed command line in the empty folder, runs the doctor, makes one call, and stops it. */
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
    // An older Node forwards the signal to the pinned one.
    service.kill('SIGTERM')
    await ended
  }
}

test('packed, the command line starts the service in an empty folder, on every Node from 20', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-packages-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await installPackages(folder)

  for (const name of packages) expect(existsSync(join(folder, 'empty/node_modules/@vitae', name, 'LICENSE'))).toBe(true)
  await expectToWork(await ownNode(), join(folder, 'empty'))
})
