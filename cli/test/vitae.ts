import { spawn } from 'node:child_process'
import { join } from 'node:path'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
  /** Standard output as JSON. */
  json: any // oxlint-disable-line typescript/no-explicit-any -- each test knows what its command prints
}

export const program = join(import.meta.dirname, '../bin/vitae.js')

/** Runs the command line as a shell would: a separate process without a terminal. */
export async function vitae(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string; cwd?: string } = {},
): Promise<Ended> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITAE_')))
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...inherited, ...options.env },
    // Not the checkout, which may contain the developer's .env.
    cwd: options.cwd ?? import.meta.dirname,
  })
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.input ?? '')
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  const stdout = Buffer.concat(out).toString()
  return { code, stdout, stderr: Buffer.concat(err).toString(), json: parsed(stdout) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
