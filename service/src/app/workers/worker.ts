import { Channel } from './channel.ts'
import { WorkerRateLimiter } from './worker-rate-limiter.ts'
import type { Post, PrimaryAsk, Welcome, WorkerAsk } from './messages.ts'
import type { Config } from '../../config/config.ts'
import { storeOver, type RunOperation } from '../../database/store.ts'
import { openDataFolder } from '../../foundation/data-folder.ts'
import type { Peers, PeerEvent } from '../../cluster/peers.ts'
import type { Engine } from '../engine.ts'

/** The primary as a worker sees it. */
export interface Primary {
  ask(ask: WorkerAsk): Promise<unknown>
  /** What is asked in one turn leaves together at its end, as it is then. */
  readonly turn: number
  /** What it tells of other processes. */
  hear(listener: (item: PeerEvent) => void): void
  /** Where it reads this worker's own metrics. */
  showMetrics(read: () => Promise<string>): void
}

/** Opens the way from this worker to its primary. */
export function reachPrimary(): Primary {
  const listeners: ((item: PeerEvent) => void)[] = []
  let metrics = async () => ''
  const answer = (ask: PrimaryAsk) => {
    if (ask.ask === 'metrics') return metrics()
    // The sender waits until all have heard it: a revoked key must be refused by the very next call anywhere.
    for (const listener of listeners) listener(ask.item)
    return null
  }
  const send = (post: Post<WorkerAsk>) => process.send?.(post, undefined, undefined, () => undefined)
  const channel = new Channel<WorkerAsk, PrimaryAsk>({ send, answer })
  process.on('message', (post: Post<PrimaryAsk>) => channel.receive(post))
  process.on('disconnect', () => channel.close('the primary process is gone'))
  return {
    ask: (ask) => channel.ask(ask),
    get turn() {
      return channel.turn
    },
    hear: (listener) => void listeners.push(listener),
    showMetrics: (read) => void (metrics = read),
  }
}

/** The engine of a worker process on SQLite: everything is the primary's, over the same narrow boundary. */
export async function engineOfPrimary(config: Config, primary: Primary): Promise<Engine> {
  const { ownerToken, secret } = (await primary.ask({ ask: 'hello' })) as Welcome
  const run: RunOperation = (name, args) => primary.ask({ ask: 'store', name, args })
  const folder = openDataFolder(config.dataDir, { exclusive: false })
  return {
    kind: 'embedded',
    folder,
    run,
    store: storeOver(run),
    ownerToken,
    secret,
    limiter: new WorkerRateLimiter(primary),
    peers: peersOver(primary),
    close: async () => undefined,
  }
}

function peersOver({ ask, hear }: Primary): Peers {
  return {
    connected: true,
    listen: hear,
    onConnection: () => undefined,
    tell: async (item) => void (await ask({ ask: 'tell', item })),
    claim: async (name, forMs) => (await ask({ ask: 'claim', name, forMs })) === true,
    renew: async (name, forMs) => void (await ask({ ask: 'renew', name, forMs })),
    giveUp: async (name) => void (await ask({ ask: 'giveUp', name })),
    close: async () => undefined,
  }
}
