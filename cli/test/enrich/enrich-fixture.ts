import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { onTestFinished } from 'vitest'

export type Row = Record<string, string>

/** A folder for one test. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'vitae-enrich-'))

  constructor() {
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }))
  }

  at(name: string): string {
    return join(this.path, name)
  }

  write(name: string, text: string): string {
    writeFileSync(this.at(name), text)
    return this.at(name)
  }

  text(name: string): string {
    return readFileSync(this.at(name), 'utf8')
  }

  /** A CSV file parsed by another program's library. */
  csv(name: string): Row[] {
    return parse(this.text(name), { columns: true })
  }

  ndjson(
    name: string,
  ): Record<string, any>[] /* oxlint-disable-line typescript/no-explicit-any -- each test knows its rows */ {
    return this.text(name)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
}

/** The arguments to enrich people at a service. */
export function enrichArgs(
  { url, key }: { url: string; key: string },
  { input, out, column = 'id' }: { input: string; out: string; column?: string },
  more: readonly string[] = [],
): string[] {
  const given = { '--key': key, '--url': url, '--column': column, '--out': out }
  return ['enrich', 'people', input, '--json', ...Object.entries(given).flat(), ...more]
}

export interface Running {
  child: ChildProcess
  /** Standard error so far. */
  said(): string
  ended: Promise<{ code: number | null; signal: string | null; stderr: string }>
}

const program = join(import.meta.dirname, '../../bin/vitae.js')

/** Starts the command line without waiting for its end, so that it can be killed. */
export function start(args: readonly string[], env: Record<string, string> = {}): Running {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITAE_')))
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...inherited, ...env },
    cwd: import.meta.dirname,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const said: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  const ended = new Promise<Awaited<Running['ended']>>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, stderr: Buffer.concat(said).toString() })),
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, said: () => Buffer.concat(said).toString(), ended }
}
