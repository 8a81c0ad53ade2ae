import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import { PrimaryRequests } from './primary-requests.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../../foundation/log.ts'
import type { PeerEvent } from '../../cluster/peers.ts'
import type { Engine } from '../engine.ts'

interface Deps {
  /** What the workers stand on; null where each opens PostgreSQL by itself. */
  engine: Engine | null
  count: number
  /** Where they listen, all of them; the ports are known to be free. */
  port: number
  adminPort: number | null
  clock: Clock
  log: Log
}

interface Workers {
  /** Tells an event to all of them. */
  tell(item: PeerEvent): Promise<void>
  stop(): Promise<void>
}

const restartPauseMs = 200

/**
 * In MB. V8 begins to collect the old generation when what is left of it would not take in the young one. With the young
 * one that it chooses by itself, a worker under load, whose old one is small, did so twice a second.
 */
const youngGeneration = '--max-semi-space-size=8'

/** How many workers a setting means. */
export function workerCount(setting: number | 'auto'): number {
  return setting === 'auto' ? availableParallelism() : setting
}

/** Runs the serving processes, answers what they ask, and replaces one that dies. Resolves when all of them listen. */
export async function runWorkers(deps: Deps): Promise<Workers> {
  cluster.setupPrimary({ serialization: 'advanced', execArgv: [youngGeneration, ...process.execArgv] })
  const group = new WorkerGroup(deps)
  try {
    await group.begin()
    return { tell: (item) => group.tell(item), stop: () => group.stop() }
  } catch (error) {
    await group.stop()
    throw error
  }
}

/** A worker could not start; what it said on standard error is the reason. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError'

  constructor(exitCode: number) {
    super(`a worker ended at its start with exit code ${exitCode}`)
  }
}

class WorkerGroup {
  readonly #deps: Deps
  readonly #requests: PrimaryRequests
  readonly #opened = Promise.withResolvers<void>()
  #listening = 0
  #isOpen = false
  #stopping = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#requests = new PrimaryRequests({ engine: deps.engine, clock: deps.clock, onListening: () => this.#listens() })
  }

  begin(): Promise<void> {
    for (let place = 1; place <= this.#deps.count; place++) this.#start(place)
    return this.#opened.promise
  }

  async tell(item: PeerEvent): Promise<void> {
    await this.#requests.tell(item)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const ends = workers.map((worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve())))
    for (const worker of workers) worker.process.kill('SIGTERM')
    await Promise.all(ends)
  }

  #start(place: number): void {
    if (this.#stopping) return
    const { port, adminPort } = this.#deps
    const adminEnv = adminPort === null ? {} : { VITAE_ADMIN_PORT: String(adminPort) }
    const worker = cluster.fork({ PORT: String(port), ...adminEnv })
    this.#requests.serve(worker, place)
    worker.once('exit', (code, signal) => this.#ended(worker, place, code, signal))
  }

  #listens(): void {
    if (++this.#listening < this.#deps.count) return
    this.#isOpen = true
    this.#opened.resolve()
  }

  #ended(worker: Worker, place: number, code: number, signal: string): void {
    this.#requests.left(worker)
    if (this.#stopping) return
    // One that never came up at the very start would only fail again: its own line has said why.
    if (!this.#isOpen) return this.#opened.reject(new WorkerStartError(code))
    this.#deps.log.error({ worker: worker.process.pid, code, signal }, 'a worker died and is replaced')
    setTimeout(() => this.#start(place), restartPauseMs).unref()
  }
}
