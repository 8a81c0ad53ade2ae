import type { ChildProcess } from 'node:child_process'
import { Failure } from '../../../foundation/failure.ts'
import { reportsMs } from '../../operation.ts'
import { ReportLine, tookTooLong } from '../../report-line.ts'
import { resultIn, type StoreReply, type StoreRequest } from '../store-messages.ts'
import { ask, startReader } from './reader.ts'

/** What a report may hold of rows and objects; `watch-process.ts` limits all that its process holds. */
const heapMb = 256
const idleMs = 60_000

/** How reports of the embedded engine are made. Tests keep the process that was started, and say when a report's time is over. */
export interface Reading {
  start(path: string, operationsModule: string): ChildProcess
  /** Calls back when the time is over; the returned function says that it need not any more. */
  limit(ms: number, onLate: () => void): () => void
}

/** Reports in processes of their own. */
export const reading: Reading = {
  start: (...args) => startReader('report-process', args, [`--max-old-space-size=${heapMb}`]),
  limit(ms, onLate) {
    const timer = setTimeout(onLate, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * A process that makes one report after the other, over a connection that only reads. It is started with the first, and ended
 * when it has had nothing to do for a while. One whose report passes its time is ended, because the engine cannot
 * interrupt a statement. Whatever ends it costs the report that it was making, and nothing else.
 */
class ReportProcess {
  readonly #start: () => ChildProcess
  readonly #limit: Reading['limit']
  readonly #line = new ReportLine()
  #child: ChildProcess | null = null
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(start: () => ChildProcess, limit: Reading['limit']) {
    this.#start = start
    this.#limit = limit
  }

  run(name: string, args: unknown, reportMs: number): Promise<unknown> {
    return this.#line.run(() => this.#make(name, args, reportMs))
  }

  /** Ends it with the report that it makes; those that wait are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  async #make(name: string, args: unknown, reportMs: number): Promise<unknown> {
    if (this.#isClosed) throw new Failure('store_unavailable', { detail: 'The service stops.' })
    clearTimeout(this.#idle)
    const child = this.#running()
    let late = false
    const stopLimit = this.#limit(reportMs, () => (late = child.kill('SIGKILL')))
    const reply = await ask(child, { id: 1, name, args } satisfies StoreRequest)
      .catch(async (error: unknown) => {
        await this.#end()
        throw late ? tookTooLong(name, reportMs) : endedEarly(error)
      })
      .finally(stopLimit)
    this.#idle = setTimeout(() => void this.#end(), idleMs).unref()
    return resultIn(reply as StoreReply)
  }

  /** Somebody may have ended it while it had nothing to do: that costs nothing at all. */
  #running(): ChildProcess {
    if (this.#child?.connected) return this.#child
    this.#child = this.#start()
    // Without a listener an error, as of a process that cannot be started, would end the service.
    this.#child.on('error', () => undefined)
    return this.#child
  }

  async #end(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise<unknown>((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
}

function endedEarly(cause: unknown): Failure {
  const detail =
    'The process that makes reports ended before this one was done. Ask again; if that fails too, ask for less.'
  return new Failure('store_unavailable', { detail, retryAfterSeconds: 1, cause })
}

/** All reports of a store: those that may take as long share a process, so that short ones never wait for long ones. */
export class Reports {
  readonly #processes: ReadonlyMap<number, ReportProcess>

  constructor({ path, operationsModule }: { path: string; operationsModule: string }, { start, limit }: Reading) {
    const made = () => new ReportProcess(() => start(path, operationsModule), limit)
    this.#processes = new Map(Object.values(reportsMs).map((ms) => [ms, made()]))
  }

  /** Makes the report of this name, which may take so long. */
  async run(name: string, args: unknown, reportMs: number): Promise<unknown> {
    return this.#processes.get(reportMs)?.run(name, args, reportMs)
  }

  /** Ends all that are being made; no other is made after it. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#processes.values(), (one) => one.close()))
  }
}
