import cluster, { type Worker } from 'node:cluster'
import { Claims } from './cluster-claims.ts'
import { Replies, troubleReply, type Message, type WorkerAsk, type Welcome } from './cluster-messages.ts'
import type { Clock } from './foundation/clock.ts'
import type { NewsItem } from './foundation/neighbours.ts'
import type { Ground } from './ground.ts'

interface Needs {
  ground: Ground
  clock: Clock
}

/** Where the primary answers what its workers ask: the store, the limits, the claims and the news are here. */
export class Desk {
  readonly #ground: Ground
  readonly #claims: Claims
  readonly #replies = new Replies()

  constructor({ ground, clock }: Needs) {
    this.#ground = ground
    this.#claims = new Claims(clock)
  }

  receive(worker: Worker, message: Message): void {
    if (message.kind === 'reply') this.#replies.settle(message)
    if (message.kind !== 'ask') return
    const { id } = message
    this.#answer(worker, message.ask).then(
      (result) => send(worker, { kind: 'reply', id, result }),
      (error: unknown) => send(worker, troubleReply(id, error)),
    )
  }

  /** What a dead worker had claimed is free again; its holds end by themselves. */
  left(worker: Worker): void {
    this.#claims.left(worker.id)
  }

  async #answer(worker: Worker, ask: WorkerAsk): Promise<unknown> {
    const ground = this.#ground
    switch (ask.ask) {
      case 'hello':
        return { ownerToken: ground.ownerToken, secret: ground.secret } satisfies Welcome
      case 'store':
        return ground.run(ask.name, ask.args)
      case 'rate':
        return ground.limiter[ask.act](ask.id, ask.rate)
      case 'claim':
        return this.#claims.claim(worker.id, ask.name, ask.forMs)
      case 'renew':
        return this.#claims.renew(worker.id, ask.name, ask.forMs)
      case 'giveUp':
        return this.#claims.giveUp(worker.id, ask.name)
      case 'tell':
        return this.tell(ask.item, worker)
    }
  }

  /** Passes news on to all workers but the one they come from, and waits until each has heard them or is gone. */
  async tell(item: NewsItem, from?: Worker): Promise<void> {
    const others = Object.values(cluster.workers ?? {}).filter(
      (worker) => worker !== undefined && worker.id !== from?.id && worker.isConnected(),
    )
    await Promise.all(others.map(async (worker) => worker && this.#tellOne(worker, item)))
  }

  async #tellOne(worker: Worker, item: NewsItem): Promise<void> {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    worker.once('disconnect', resolve)
    await Promise.race([this.#replies.ask((id) => send(worker, { kind: 'news', id, item })), gone])
    worker.off('disconnect', resolve)
  }
}

function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => undefined)
}
