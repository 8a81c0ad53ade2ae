import type { Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import { Channel } from './channel.ts'
import type { Post, PrimaryAsk, Taken, Welcome, WorkerAsk } from './messages.ts'
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

/** Which worker does which piece of work. What a dead one had claimed is free again at once. */
class FetchClaims {
  readonly #claims = new Map<string, { worker: number; until: number }>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** False where another has it. */
  claim(worker: number, name: string, forMs: number): boolean {
    const now = this.#clock.now()
    const claim = this.#claims.get(name)
    if (claim && claim.until > now) return false
    this.#claims.set(name, { worker, until: now + forMs })
    return true
  }

  renew(worker: number, name: string, forMs: number): void {
    const claim = this.#claims.get(name)
    if (claim?.worker === worker) claim.until = this.#clock.now() + forMs
  }

  giveUp(worker: number, name: string): void {
    if (this.#claims.get(name)?.worker === worker) this.#claims.delete(name)
  }

  left(worker: number): void {
    for (const [name, claim] of this.#claims) if (claim.worker === worker) this.#claims.delete(name)
  }
}

interface WorkerMetrics {
  place: number
  text: string
}

/**
 * The metrics of all workers in one text, each series with the worker that it is of. They are not summed here: a sum
 * would fall when a worker is replaced, and Prometheus would count all of it again.
 */
function metricsByWorker(workers: readonly WorkerMetrics[]): string {
  const families = new Map<string, { head: string[]; series: string[] }>()
  for (const { place, text } of workers) {
    let family = { head: [] as string[], series: [] as string[] }
    for (const line of text.split('\n')) {
      const [, word, name = ''] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? []
      if (word === undefined) {
        if (line !== '') family.series.push(labelled(line, place))
        continue
      }
      family = families.get(name) ?? { head: [], series: [] }
      families.set(name, family)
      if (!family.head.includes(line)) family.head.push(line)
    }
  }
  return [...families.values()].map(({ head, series }) => `${[...head, ...series].join('\n')}\n`).join('\n')
}

function labelled(line: string, place: number): string {
  const [, name, labels, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  return `${name}{worker="${place}"${labels ? `,${labels}` : ''}} ${value}`
}
