import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pinned } from '../process/cores.ts'
import type { Load, LoadReport, LoadOptions } from './load.ts'

interface WrkReport {
  answered: number
  refused: number
  sent: number
  broken: number
  seconds: number
  p50Us: number
  p99Us: number
  cpuSeconds: number
}

const script = join(import.meta.dirname, 'drain.lua')
const generator = 'wrk'
// wrk is interrupted once all responses have arrived; this limit is for responses that never do.
const drainSeconds = 30

/** wrk, if it is installed: one thread, and a script that drains every connection. */
export function findWrk(cores: string | null): Load | null {
  if (spawnSync(generator, ['--version']).error) return null
  return { name: generator, run: (options) => runWrk(cores, options) }
}

async function runWrk(cores: string | null, options: LoadOptions): Promise<LoadReport> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-wrk-'))
  try {
    const [keys, report] = [join(folder, 'keys'), join(folder, 'report.json')]
    writeFileSync(keys, `${options.keys.join('\n')}\n`)
    const duration = `${options.seconds + drainSeconds}s`
    const shape = ['--threads', '1', '--connections', String(options.connections), '--duration', duration]
    const scriptArgs = [String(options.seconds), String(options.ids), keys, report, String(options.connections)]
    const args = [...shape, '--timeout', '10s', '--script', script, options.url, '--', ...scriptArgs]
    const [program, argv] = pinned(cores, generator, args)
    const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('drained') && !child.killed) child.kill('SIGINT')
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`wrk ended with ${String(code)}`)
    return toReport(JSON.parse(readFileSync(report, 'utf8')) as WrkReport)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function toReport(wrk: WrkReport): LoadReport {
  const { answered, refused, sent, broken, seconds } = wrk
  if (sent !== answered + broken)
    console.warn(`!! wrk sent ${sent} requests and read ${answered} answers: not all were drained in time.`)
  const ok = answered - refused
  return {
    ok,
    notOk: sent - ok,
    requestsPerSecond: ok / seconds,
    p50Ms: wrk.p50Us / 1_000,
    p99Ms: wrk.p99Us / 1_000,
    busy: wrk.cpuSeconds / seconds,
  }
}
