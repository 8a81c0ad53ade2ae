import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../..')
const sizes = ['--records', '30', '--calls', '1200', '--events', '1000', '--days', '3', '--environments', '2']

interface Row {
  environment: string
  calls: number
}

/** Fills a small store and checks it through the command line. Every figure is known beforehand. */
export function expectExactFill(engine: Record<string, string>): void {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-fill-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const env = { ...process.env, VITAE_DATA_DIR: folder, ...engine }
  const run = (script: string, ...args: string[]) =>
    execFileSync(process.execPath, ['--no-warnings', join(root, script), ...args], {
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    })

  run('bench/src/stores/fill.ts', ...sizes)

  const ledger: unknown = JSON.parse(run('cli/bin/vitae.js', 'ledger', 'verify'))
  expect(ledger).toMatchObject({ ok: true, entries: 1_140 + 2 })
  const usage = JSON.parse(run('cli/bin/vitae.js', 'usage', '--by', 'environment', '--json')) as { rows: Row[] }
  const callsOf = (name: string) =>
    usage.rows.filter(({ environment }) => environment === name).reduce((sum, { calls }) => sum + calls, 0)
  expect(['production', 'environment-2'].map(callsOf)).toEqual([600, 600])
  expect(() => run('bench/src/stores/fill.ts', ...sizes)).toThrow(/is in use: fill a new one/)
}
