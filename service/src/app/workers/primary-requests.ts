import type { Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import { Channel } from './channel.ts'
import { FetchClaims } from './fetch-claims.ts'
import type { Post, PrimaryAsk, Taken, Welcome, WorkerAsk } from './messages.ts'
import { metricsByWorker } from './worker-metrics.ts'
import type { RateLimiter } from '../../accounts/rate-limits/rate-limiter.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { PeerEvent } from '../../cluster/peers.ts'
import type { Rate } from '../../foundation/rate.ts'
import type { Engine } from '../engine.ts'

interface Deps {
  /** Null where each worker stands on PostgreSQL by itself. */
  engine: Engine | null
  clock: Clock
  onListening(): void
}

interface Served {
  worker: Worker
  /** Its place among the workers, which the one that replaces it will have. */
  place: number
  channel: Channel<PrimaryAsk, WorkerAsk>
}

const metricsWithinMs = 2_000

/** Answers what workers ask of the primary, which owns the store, the limits, the claims and the events. */
export class PrimaryRequests {
  readonly #deps: Deps
  readonly #claims: FetchClaims
  readonly #served = new Map<number, Served>()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#claims = new FetchClaims(deps.clock)
  }

  serve(worker: Worker, place: number): void {
    const channel = new Channel<PrimaryAsk, WorkerAsk>({
      send: (post) => void (worker.isConnected() && worker.send(post, () => undefined)),
      answer: (ask) => this.#answer(worker, ask),
    })
    this.#served.set(worker.id, { worker, place, channel })
    worker.on('message', (post: Post<WorkerAsk>) => channel.receive(post))
    worker.once('disconnect', () => this.left(worker))
  }

  /** What a dead worker had claimed is free again; its holds end by themselves. */
  left(worker: Worker): void {
    this.#claims.left(worker.id)
    this.#served.get(worker.id)?.channel.close('the worker is gone')
    this.#served.delete(worker.id)
  }

  #answer(worker: Worker, ask: WorkerAsk): unknown {
    switch (ask.ask) {
      case 'hello':
        return { ownerToken: this.#engine.ownerToken, secret: this.#engine.secret } satisfies Welcome
      case 'listening':
        return this.#deps.onListening()
      case 'store':
        return this.#engine.run(ask.name, ask.args)
      case 'take':
        return takeMany(this.#engine.limiter, ask)
      case 'rate':
        return this.#engine.limiter[ask.act](ask.id, ask.rate)
      case 'claim':
        return this.#claims.claim(worker.id, ask.name, ask.forMs)
      case 'renew':
        return this.#claims.renew(worker.id, ask.name, ask.forMs)
      case 'giveUp':
        return this.#claims.giveUp(worker.id, ask.name)
      case 'tell':
        return this.tell(ask.item, worker)
      case 'metrics':
        return this.#metrics()
    }
  }

  get #engine(): Engine {
    if (!this.#deps.engine) throw new Error('a worker on PostgreSQL opens its own engine')
    return this.#deps.engine
  }

  /** Passes an event on to all workers but its sender, and waits until each has heard it or is gone. */
  async tell(item: PeerEvent, from?: Worker): Promise<void> {
    const others = [...this.#served.values()].filter(({ worker }) => worker.id !== from?.id)
    await Promise.all(others.map((other) => tellOne(other, item)))
  }

  /** Of all workers that answer in time: one that is stuck must not hide the others. */
  async #metrics(): Promise<string> {
    const texts = [...this.#served.values()].map(async ({ place, channel }) => {
      const asked = channel.ask({ ask: 'metrics' }).catch(() => '')
      const text = await Promise.race([asked, pause(metricsWithinMs, '', { ref: false })])
      return { place, text: String(text) }
    })
    return metricsByWorker(await Promise.all(texts))
  }
}

async function takeMany(
  limiter: RateLimiter,
  { id, rate, count }: { id: string; rate: Rate; count: number },
): Promise<Taken> {
  const taken: Taken = { left: [], resetSeconds: 1 }
  for (let call = 0; call < count; call++) {
    // Calls of other workers may be counted in between.
    const { allowed, remaining, resetSeconds } = await limiter.take(id, rate)
    taken.resetSeconds = resetSeconds
    if (!allowed) break
    taken.left.push(remaining)
  }
  return taken
}

async function tellOne({ worker, channel }: Served, item: PeerEvent): Promise<void> {
  try {
    await channel.ask({ ask: 'hear', item })
  } catch (error) {
    if (worker.isConnected()) throw error
  }
}
