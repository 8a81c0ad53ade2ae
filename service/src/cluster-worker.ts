import type { RateVerdict } from './accounts/rate-limiter.ts'
import { Replies, type Message, type Welcome, type WorkerAsk } from './cluster-messages.ts'
import type { Config } from './config.ts'
import { storeOver } from './foundation/database/store.ts'
import { openDataFolder } from './foundation/data-folder.ts'
import type { Neighbours, NewsItem } from './foundation/neighbours.ts'
import type { Rate } from './foundation/rate.ts'
import type { Ground } from './ground.ts'

/** The ground of a worker process on the embedded engine: everything is the primary's, over the same narrow boundary. */
export async function groundOfPrimary(config: Config): Promise<Ground> {
  const replies = new Replies()
  const listeners: ((item: NewsItem) => void)[] = []
  const send = (message: Message) => process.send?.(message)
  const ask = (question: WorkerAsk) => replies.ask((id) => send({ kind: 'ask', id, ask: question }))

  process.on('message', (message: Message) => {
    if (message.kind === 'reply') return replies.settle(message)
    if (message.kind !== 'news') return
    for (const listener of listeners) listener(message.item)
    // The one who told it waits until all have heard it: a revoked key must be refused by the very next call anywhere.
    send({ kind: 'reply', id: message.id, result: null })
  })
  process.on('disconnect', () => replies.abandon('the primary process is gone'))

  const { ownerToken, secret } = (await ask({ ask: 'hello' })) as Welcome
  const rate = (act: 'take' | 'peek' | 'giveBack') => (id: string, of: Rate) => ask({ ask: 'rate', act, id, rate: of })
  const neighbours: Neighbours = {
    connected: true,
    listen: (listener) => void listeners.push(listener),
    onConnection: () => undefined,
    tell: async (item) => void (await ask({ ask: 'tell', item })),
    claim: async (name, forMs) => (await ask({ ask: 'claim', name, forMs })) === true,
    renew: async (name, forMs) => void (await ask({ ask: 'renew', name, forMs })),
    giveUp: async (name) => void (await ask({ ask: 'giveUp', name })),
    close: async () => undefined,
  }
  const run = (name: string, args: unknown) => ask({ ask: 'store', name, args })
  const folder = openDataFolder(config.dataDir, { exclusive: false })
  return {
    engine: 'embedded',
    folder,
    run,
    store: storeOver(run),
    ownerToken,
    secret,
    limiter: {
      take: rate('take') as (id: string, of: Rate) => Promise<RateVerdict>,
      peek: rate('peek') as (id: string, of: Rate) => Promise<RateVerdict>,
      giveBack: async (id, of) => void (await rate('giveBack')(id, of)),
    },
    neighbours,
    close: async () => undefined,
  }
}
