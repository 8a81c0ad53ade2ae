import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FixedValues } from '../../src/config/fixed-values.ts'

const vitae = join(import.meta.dirname, '../../../cli/bin/vitae.js')

/** The program to start: `vitae serve --demo`, or a test's own child script. */
export type Program = readonly string[]
export const serveDemo: Program = [vitae, 'serve', '--demo']
export const serve: Program = [vitae, 'serve']
/** The same with other fixed values. */
export const serveWith = (fixed: Partial<FixedValues>, ...flags: string[]): Program => [
  join(import.meta.dirname, 'serve-with.ts'),
  JSON.stringify(fixed),
  ...flags,
]

/** A machine that runs many tests at once is slow, but neither overloaded nor without its PostgreSQL and Redis. */
export const busyMachine: Partial<FixedValues> = { maxLagMs: 600_000, postgresPatience: 20, redisPatience: 20 }
/** Without the cache, a child that starts from sources takes three times as long. */
const compileCache = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'vitae-compile-cache') }

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A service in its own process, which tests can kill. */
export class ChildService {
  readonly process: ChildProcess
  #stdout = ''
  #stderr = ''
  readonly #ended: Promise<Ended>
  readonly #url = Promise.withResolvers<string>()

  /** `wrapper` is a program that starts the child, such as `prlimit` with its options. */
  constructor(program: Program, env: Record<string, string>, wrapper: readonly string[] = []) {
    // Passes only the variables that a test names, so that the machine's environment does not reach the child.
    const usual = { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', VITAE_UPSTREAM: 'directory' }
    const clean = { PATH: process.env['PATH'] ?? '', ...compileCache, ...usual, ...env }
    const [command = '', ...args] = [...wrapper, process.execPath, ...program]
    // Not the checkout, which may contain the developer's .env.
    const cwd = import.meta.dirname
    this.process = spawn(command, args, { env: clean, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
      const url = /(?:ready at |"url":")(http:[^\s"]+)/.exec(this.#stdout)?.[1]
      if (url) this.#url.resolve(url)
    })
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text))
    this.#ended = once(this.process, 'close').then(([code, signal]) => {
      const ended: Ended = { code, signal, stdout: this.#stdout, stderr: this.#stderr }
      this.#url.reject(new Error(`the service ended before it was ready: ${JSON.stringify(ended)}`))
      return ended
    })
    // Prevents an unhandled rejection if no test waits for the URL.
    this.#url.promise.catch(() => {})
  }

  /** The URL, once the service reports that it is ready. */
  get url(): Promise<string> {
    return this.#url.promise
  }

  get ended(): Promise<Ended> {
    return this.#ended
  }

  stop(signal: NodeJS.Signals): Promise<Ended> {
    this.process.kill(signal)
    return this.#ended
  }
}
