import cluster, { type Worker } from 'node:cluster'
import type { Log } from '../../foundation/log.ts'
import { passOn, type MetricsMessage } from './worker-metrics.ts'

interface Deps {
  count: number
  /** Environment variables of workers in addition to this process's own. */
  env: Record<string, string>
  log: Log
}

/** The message of a worker once it listens, and the message that makes it stop. */
export const listening = 'listening'
export const stop = 'stop'

const firstPauseMs = 200
const longestPauseMs = 30_000
/** A worker that has run for this long is not in a loop of failures. */
const steadyAfterMs = 60_000

/** A worker could not start; its output on standard error is the reason. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError'

  constructor(exitCode: number | null) {
    super(`a worker ended at its start with exit code ${exitCode}`)
  }
}

/** Starts the serving processes and replaces one that ends. Resolves when all of them listen. */
export async function runWorkers(deps: Deps): Promise<{ stop(): Promise<void> }> {
  const group = new WorkerGroup(deps)
  try {
    await group.begin()
  } catch (error) {
    await group.stop().catch(() => undefined)
    throw error
  }
  return group
}

class WorkerGroup {
  readonly #deps: Deps
  readonly #listening = new Map<number, Worker>()
  readonly #pauses = new Set<NodeJS.Timeout>()
  #isOpen = false
  #isStopping = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The first worker starts alone: it migrates the database, and a problem is reported once. */
  async begin(): Promise<void> {
    await this.#start(1)
    const others = Array.from({ length: this.#deps.count - 1 }, (_, index) => this.#start(index + 2))
    await Promise.all(others)
    this.#isOpen = true
  }

  /** Resolves when all have finished their work in progress; fails if one could not. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const pause of this.#pauses) clearTimeout(pause)
    const all = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const workers = all.filter(({ process }) => process.pid !== undefined)
    const codes = await Promise.all(workers.map((worker) => this.#stopOne(worker)))
    if (codes.some((code) => code !== 0)) throw new Error(`workers ended with exit codes ${codes.join(', ')}`)
  }

  /**
   * Stops by a message: a terminal or systemd signals every process, and a second signal would interrupt calls in
   * flight.
   */
  #stopOne(worker: Worker): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => worker.once('exit', resolve))
    if (this.#listening.has(worker.id)) worker.send(stop, () => undefined)
    else worker.process.kill('SIGTERM')
    return ended
  }

  /** Resolves when the worker in this place listens. */
  #start(place: number, lastPauseMs = firstPauseMs / 2): Promise<void> {
    const began = performance.now()
    const worker = cluster.fork(this.#deps.env)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    worker.on('message', (message: typeof listening | MetricsMessage) => {
      if (message !== listening) return passOn(message, { worker, place }, this.#listening)
      this.#listening.set(worker.id, worker)
      resolve()
    })
    const ended = (code: number | null, signal: string | null) => {
      const wasListening = this.#listening.delete(worker.id)
      reject(new WorkerStartError(code))
      if (this.#isStopping || (!this.#isOpen && !wasListening)) return
      const pauseMs = performance.now() - began > steadyAfterMs ? firstPauseMs : lastPauseMs * 2
      this.#replace({ place, pid: worker.process.pid, code, signal }, Math.min(pauseMs, longestPauseMs))
    }
    worker.once('exit', ended)
    // A process that could not be started has no exit event. Without a listener this process, and all workers with it,
    // would end.
    worker.on('error', () => {
      if (worker.process.pid === undefined) ended(null, null)
    })
    return promise
  }

  #replace(ended: { place: number; pid: number | undefined; code: number | null; signal: string | null }, ms: number) {
    const { place: worker, ...how } = ended
    this.#deps.log.error({ worker, ...how, pauseMs: ms }, 'a worker died and is replaced')
    const pause = setTimeout(() => {
      this.#pauses.delete(pause)
      // A worker that ends before it listens is replaced too, after a longer pause.
      this.#start(worker, ms).catch(() => undefined)
    }, ms)
    this.#pauses.add(pause)
  }
}
