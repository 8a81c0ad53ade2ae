import type { ChildProcess } from 'node:child_process'
import { Failure } from '../../../foundation/failure.ts'
import { reportsMs, ReportLine, tookTooLong } from '../../engine/operation.ts'
import { resultIn, type StoreReply, type StoreRequest } from '../connection/store-messages.ts'
import { ask, startReader } from './reader.ts'

/** Heap limit for the rows and objects of a report; `watch-process.ts` limits the total memory of its process. */
const heapMb = 256
const idleMs = 60_000

/** Beyond this a report is ended. The log stays below 256 MB, because it grows until the process has ended. */
const [logAtMostBytes, logBesideLongBytes] = [150e6, 1e9]
/** A report that has run for longer is not waited for, because it will hardly end soon. */
const soonMs = 1_000
const heldAtMostMs = 2_000

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
  readonly #mayStart: () => Promise<void>
  #child: ChildProcess | null = null
  #isEndedForLog = false
  /** When the report in progress began. */
  #since: number | null = null
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(start: () => ChildProcess, limit: Reading['limit'], mayStart: () => Promise<void>) {
    this.#start = start
    this.#limit = limit
    this.#mayStart = mayStart
  }

  run(name: string, args: unknown, reportMs: number): Promise<unknown> {
    return this.#line.run(async () => {
      // A report that was ended for the log starts again once, over a new log.
      const reply = (await this.#make(name, args, reportMs)) ?? (await this.#make(name, args, reportMs))
      if (!reply) throw logTooLong()
      return resultIn(reply)
    })
  }

  /** How long the report in progress has run; 0 without one. */
  ranMs(): number {
    return this.#since === null ? 0 : performance.now() - this.#since
  }

  endForLog(): void {
    this.#isEndedForLog = this.#since !== null && this.#child?.kill('SIGKILL') === true
  }

  /** Ends it and its report; waiting reports are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  /** Returns null if the report was ended because it kept the log from starting over. */
  async #make(name: string, args: unknown, reportMs: number): Promise<StoreReply | null> {
    await this.#mayStart()
    if (this.#isClosed) throw new Failure('store_unavailable', { detail: 'The service is shutting down.' })
    clearTimeout(this.#idle)
    const child = this.#running()
    this.#isEndedForLog = false
    this.#since = performance.now()
    let late = false
    const stopLimit = this.#limit(reportMs, () => (late = child.kill('SIGKILL')))
    try {
      const reply = (await ask(child, { id: 1, name, args } satisfies StoreRequest)) as StoreReply
      if (this.#isEndedForLog) await this.#end()
      this.#idle = setTimeout(() => void this.#end(), idleMs).unref()
      return reply
    } catch (error) {
      await this.#end()
      if (late) throw tookTooLong(name, reportMs)
      if (this.#isEndedForLog) return null
      throw endedEarly(error)
    } finally {
      this.#since = null
      stopLimit()
    }
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

function logTooLong(): Failure {
  const detail =
    'While the report was running, the log of the store grew beyond its limit. Ask for a shorter period, or at a time with fewer calls.'
  return new Failure('store_unavailable', { detail, retryAfterSeconds: 60 })
}

/**
 * All reports of a store: those with the same time limit share a process, so that short ones never wait for long ones.
 */
export class Reports {
  readonly #processes: ReadonlyMap<number, ReportProcess>
  readonly #limit: Reading['limit']
  #held: { until: Promise<void>; end(): void } | null = null

  constructor({ path, operationsModule }: { path: string; operationsModule: string }, { start, limit }: Reading) {
    const mayStart = async () => this.#held?.until
    const made = () => new ReportProcess(() => start(path, operationsModule), limit, mayStart)
    this.#processes = new Map(Object.values(reportsMs).map((ms) => [ms, made()]))
    this.#limit = limit
  }

  /** Runs a report with its time limit. */
  async run(name: string, args: unknown, reportMs: number): Promise<unknown> {
    return this.#processes.get(reportMs)?.run(name, args, reportMs)
  }

  /**
   * The log starts over only at a moment without readers, and one report may follow another without such a moment. So
   * beside a long log new reports wait for those that run. Reports that take longer are ended. 0: it has started over.
   */
  logIs(bytes: number): void {
    this.#held?.end()
    if (bytes === 0) return
    const running = Array.from(this.#processes, ([ms, process]) => ({ process, ranMs: process.ranMs(), ms }))
    const isOver = (ms: number) => bytes >= (ms === reportsMs.long ? logBesideLongBytes : logAtMostBytes)
    if (running.some(({ ms, ranMs }) => ranMs > soonMs && !isOver(ms))) return
    for (const { process, ms } of running) if (isOver(ms)) process.endForLog()
    this.#hold()
  }

  #hold(): void {
    const { promise: until, resolve } = Promise.withResolvers<void>()
    const stopLimit = this.#limit(heldAtMostMs, () => held.end())
    const held = {
      until,
      end: () => {
        stopLimit()
        if (this.#held === held) this.#held = null
        resolve()
      },
    }
    this.#held = held
  }

  /** Ends all reports in progress and refuses new ones. */
  async close(): Promise<void> {
    const ended = Array.from(this.#processes.values(), (one) => one.close())
    this.#held?.end()
    await Promise.all(ended)
  }
}
