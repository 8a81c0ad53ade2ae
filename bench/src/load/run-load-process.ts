import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pinned } from '../process/cores.ts'

/** Runs one of our load programs on its core. It reads the plan as JSON and prints the report as JSON. */
export async function runLoadProcess<Report>(file: string, cores: string | null, plan: unknown): Promise<Report> {
  const path = join(import.meta.dirname, file)
  const [program, options] = pinned(cores, process.execPath, [path])
  const child = spawn(program, options, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(plan))
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`${file} ended with ${String(code)}`)
  return JSON.parse(output) as Report
}
