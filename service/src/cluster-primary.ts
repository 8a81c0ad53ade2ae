import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import { Replies, troubleReply, type Message, type WorkerAsk, type Welcome } from './cluster-messages.ts'
import type { Clock } from './foundation/clock.ts'
import type { Log } from './foundation/log.ts'
import type { NewsItem } from './foundation/neighbours.ts'
import type { Ground } from './ground.ts'

interface Needs {
  /** What the workers stand on; null where each opens PostgreSQL by itself. */
  ground: Ground | null
  count: number
  clock: Clock
  log: Log
}

const restartPauseMs = 200

/** How many workers a setting means. */
export function workerCount(setting: number | 'auto'): number {
  return setting === 'auto' ? availableParallelism() : setting
}

/** Runs the serving processes, answers what they ask, and replaces one that dies. Resolves when all of them listen. */
export async function runWorkers(needs: Needs): Promise<{ port: number; stop(): Promise<void> }> {
  cluster.setupPrimary({ serialization: 'advanced' })
  const desk = new Desk(needs)
  let stopping = false
  const ports = Promise.withResolvers<number>()
  const starting = new Set<number>()
  let listening = 0

  const start = () => {
    const worker = cluster.fork()
    starting.add(worker.id)
    worker.on('message', (message: Message) => desk.receive(worker, message))
    worker.on('listening', (address) => {
      starting.delete(worker.id)
      listening++
      if (listening === needs.count) ports.resolve(address.port)
    })
    worker.on('exit', (code, signal) => {
      desk.left(worker)
      if (stopping) return
      // One that never came up would only fail again: its own line has said why.
      if (starting.delete(worker.id)) return ports.reject(new WorkerStartError(code))
      needs.log.error({ worker: worker.process.pid, code, signal }, 'a worker died and is replaced')
      setTimeout(start, restartPauseMs).unref()
    })
  }
  for (let index = 0; index < needs.count; index++) start()
  const stop = async () => {
    stopping = true
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const ends = workers.map((worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve())))
    for (const worker of workers) worker.process.kill('SIGTERM')
    await Promise.all(ends)
  }
  try {
    return { port: await ports.promise, stop }
  } catch (error) {
    await stop()
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

/** Where the workers' asks are answered. */
class Desk {
  readonly #needs: Needs
  readonly #replies = new Replies()
  readonly #claims = new Map<string, { worker: number; until: number }>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  receive(worker: Worker, message: Message): void {
    if (message.kind === 'reply') this.#replies.settle(message)
    if (message.kind !== 'ask') return
    const { id } = message
    this.#answer(worker, message.ask).then(
      (result) => this.#send(worker, { kind: 'reply', id, result }),
      (error: unknown) => this.#send(worker, troubleReply(id, error)),
    )
  }

  /** What a dead worker had claimed is free again; its holds end by themselves. */
  left(worker: Worker): void {
    for (const [name, claim] of this.#claims) if (claim.worker === worker.id) this.#claims.delete(name)
  }

  async #answer(worker: Worker, ask: WorkerAsk): Promise<unknown> {
    const { ground } = this.#needs
    if (!ground) throw new Error('this primary owns no store')
    switch (ask.ask) {
      case 'hello':
        return { ownerToken: ground.ownerToken, secret: ground.secret } satisfies Welcome
      case 'store':
        return ground.run(ask.name, ask.args)
      case 'rate':
        return ground.limiter[ask.act](ask.id, ask.rate)
      case 'claim':
        return this.#claim(worker, ask.name, ask.forMs)
      case 'giveUp':
        return this.#claims.delete(ask.name)
      case 'tell':
        return this.#tell(worker, ask.item)
    }
  }

  #claim(worker: Worker, name: string, forMs: number): boolean {
    const now = this.#needs.clock.now()
    const claim = this.#claims.get(name)
    if (claim && claim.until > now) return false
    this.#claims.set(name, { worker: worker.id, until: now + forMs })
    return true
  }

  /** Passes news on to all other workers and waits until each has heard it or is gone. */
  async #tell(from: Worker, item: NewsItem): Promise<void> {
    const others = Object.values(cluster.workers ?? {}).filter(
      (worker) => worker && worker.id !== from.id && worker.isConnected(),
    )
    await Promise.all(
      others.map((worker) => {
        if (!worker) return undefined
        const gone = new Promise<void>((resolve) => worker.once('disconnect', () => resolve()))
        return Promise.race([this.#replies.ask((id) => this.#send(worker, { kind: 'news', id, item })), gone])
      }),
    )
  }

  #send(worker: Worker, message: Message): void {
    if (worker.isConnected()) worker.send(message, () => undefined)
  }
}
