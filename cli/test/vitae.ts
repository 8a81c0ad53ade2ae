import { fork, spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Asked } from './kept-command.ts'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
  /** Standard output as JSON. */
  json: any // oxlint-disable-line typescript/no-explicit-any -- each test knows what its command prints
}

export const program = join(import.meta.dirname, '../bin/vitae.js')

export interface Given {
  env?: Record<string, string>
  input?: string
  cwd?: string
}

/** The environment and folder of a command: not the checkout, which may contain the developer's .env. */
function place({ env, cwd }: Given) {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITAE_')))
  return { env: { ...inherited, ...env }, cwd: cwd ?? import.meta.dirname }
}

const idle: ChildProcess[] = []

/**
 * Runs the command line without a terminal, in a process that has loaded it, which saves most of a command's CPU time. The commands
 * of the guides run as a shell runs them.
 */
export async function vitae(args: readonly string[], given: Given = {}): Promise<Ended> {
  const child = idle.pop() ?? fork(join(import.meta.dirname, 'kept-command.ts'))
  const ended = new Promise<Omit<Ended, 'json'>>((resolve, reject) => {
    child.once('message', (message: Omit<Ended, 'json'>) => resolve(message))
    child.once('exit', (code) => reject(new Error(`vitae ${args.join(' ')} ended its process with ${code}`)))
  })
  child.send({ args, input: given.input ?? '', ...place(given) } satisfies Asked)
  const { code, stdout, stderr } = await ended
  child.removeAllListeners('exit')
  idle.push(child)
  return { code, stdout, stderr, json: parsed(stdout) }
}

/** Runs the command line as a shell would: a separate process without a terminal. */
export async function vitaeProcess(args: readonly string[], given: Given = {}): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], place(given))
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end(given.input ?? '')
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
