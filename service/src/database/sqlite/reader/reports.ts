import type { ChildProcess } from 'node:child_process'
import { Failure } from '../../../foundation/failure.ts'
import { reportsMs, ReportLine, tookTooLong } from '../../engine/operation.ts'
import { resultIn, type StoreReply, type StoreRequest } from '../connection/store-messages.ts'
import { ask, startReader } from './reader.ts'

/** Heap limit for the rows and objects of a report; `watch-process.ts` limits the total memory of its process. */
const heapMb = 256
const idleMs = 60_000

/** How reports of the embedded engine run. Tests reuse the started process, and decide when a report's time is over. */
export interface Reading {
  start(path: string, operationsModule: string): ChildProcess
  /** Calls back when the time is over; the returned function cancels it. */
  limit(ms: number, onLate: () => void): () => void
}

/** Reports in separate processes. */
export const reading: Reading = {
  start: (...args) => startReader('report-process', args, [`--max-old-space-size=${heapMb}`]),
  limit(ms, onLate) {
    const timer = setTimeout(onLate, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * A process that runs one report after another, over a read-only connection. It is started with the first report and
 * ended when it is idle for a while. A process whose report exceeds its time is killed, because the engine cannot
 * interrupt a statement. Whatever ends it affects only the report in progress.
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

  /** Ends it and its report; waiting reports are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  async #make(name: string, args: unknown, reportMs: number): Promise<unknown> {
    if (this.#isClosed) throw new Failure('store_unavailable', { detail: 'The service is shutting down.' })
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

  /** It may have been ended while it was idle, which costs nothing. */
  #running(): ChildProcess {
    if (this.#child?.connected) return this.#child
    this.#child = this.#start()
    // Without a listener an error, such as a process that cannot be started, would end the service.
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
    'The report process ended before this report was done. Retry; if it fails again, ask for a smaller report.'
  return new Failure('store_unavailable', { detail, retryAfterSeconds: 1, cause })
}

/**
 * All reports of a store: those with the same time limit share a process, so that short ones never wait for long ones.
 */
export class Reports {
  readonly #processes: ReadonlyMap<number, ReportProcess>

  constructor({ path, operationsModule }: { path: string; operationsModule: string }, { start, limit }: Reading) {
    const made = () => new ReportProcess(() => start(path, operationsModule), limit)
    this.#processes = new Map(Object.values(reportsMs).map((ms) => [ms, made()]))
  }

  /** Runs a report with its time limit. */
  async run(name: string, args: unknown, reportMs: number): Promise<unknown> {
    return this.#processes.get(reportMs)?.run(name, args, reportMs)
  }

  /** Ends all reports in progress and refuses new ones. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#processes.values(), (one) => one.close()))
  }
}
