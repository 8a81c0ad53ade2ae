import type { Clock } from '../foundation/clock.ts'
import type { Store } from '../database/store.ts'
import type { Log } from '../foundation/log.ts'
import { createBudget } from './chain/monthly-budget.ts'
import { createChain, type Attempt, type Chain, type Link } from './chain/chain.ts'
import { checkProvider, type ProviderCheck } from './check-provider.ts'
import { bundledDirectory, openDirectory } from './directory/directory.ts'
import { mirror } from './mirror/mirror.ts'
import type { UpstreamOperations } from './operations.ts'
import type { Provider } from './provider.ts'
import { providerRegistry, type ProviderName } from './registry.ts'
import { createSend } from './transport/send-with-retries.ts'

export type UpstreamName = ProviderName | 'directory' | 'mirror'

interface ProviderConfig {
  url: string | null
  key: string | null
  timeoutMs: number | null
  concurrency: number | null
  monthlyBudget: number | null
}

/** The part of the configuration that concerns providers. */
export interface UpstreamSettings {
  chain: readonly UpstreamName[]
  settings: Partial<Record<UpstreamName, ProviderConfig>>
  directory: string | null
  chainOnNotFound: boolean
  attemptTimeoutMs: number
  totalTimeoutMs: number
  maxBytes: number
  concurrency: number
  breakerFailures: number
  breakerMs: number
}

interface Deps {
  config: UpstreamSettings
  store: Pick<Store<UpstreamOperations>, 'spendBudget'>
  clock: Clock
  log: Log
  onAttempt?: (attempt: Attempt) => void
}

export interface Upstream {
  chain: Chain
  providers: readonly Provider[]
  /** Asks a provider one cheap question, also one that is not in the chain. */
  check(name: UpstreamName): Promise<ProviderCheck>
  close(): Promise<void>
}

/** Opens every configured provider, in the order in which they are asked. */
export async function openUpstream({ config, store, clock, log, onAttempt }: Deps): Promise<Upstream> {
  const watch = onAttempt ? { onAttempt } : {}
  const closings: (() => Promise<void>)[] = []
  // The HTTP client is loaded when a provider needs it: a directory on disk does not.
  const http = once(async () => {
    const { createTransport, openConnections } = await import('./transport/transport.ts')
    const connections = openConnections()
    closings.push(() => connections.close())
    return { createTransport, connections }
  })

  const remote = async (name: Exclude<UpstreamName, 'directory'>) => {
    const own = config.settings[name]
    const { create, defaultUrl } = name === 'mirror' ? { create: mirror, defaultUrl: '' } : providerRegistry[name]
    const url = own?.url ?? defaultUrl
    const { createTransport, connections } = await http()
    const exchange = createTransport({
      provider: name,
      attemptTimeoutMs: own?.timeoutMs ?? config.attemptTimeoutMs,
      maxBytes: config.maxBytes,
      origins: [url],
      clock,
      dispatcher: connections,
    })
    return { provider: create({ url, key: own?.key ?? '' }), exchange, own }
  }
  const overHttp = async (name: Exclude<UpstreamName, 'directory'>): Promise<Link> => {
    const { provider, exchange, own } = await remote(name)
    const breaker = { failures: config.breakerFailures, openMs: config.breakerMs }
    // A provider that is given more time for one attempt is given it overall too, or the attempt could never use it.
    const totalMs = Math.max(config.totalTimeoutMs, own?.timeoutMs ?? 0)
    const concurrency = own?.concurrency ?? config.concurrency
    const sender = createSend(provider.name, { exchange, clock, totalMs, concurrency, breaker })
    return { provider, sender, totalMs }
  }
  const open = async (name: UpstreamName): Promise<Link> => {
    if (name === 'directory') {
      const folder = config.directory ?? bundledDirectory
      const onBadLine = (line: object) => log.warn(line, 'a line of the directory cannot be read and is skipped')
      const directory = await openDirectory({ folder, clock, onBadLine })
      closings.push(() => directory.close())
      return { provider: directory, sender: null, totalMs: config.totalTimeoutMs }
    }
    return overHttp(name)
  }

  const links: Link[] = []
  for (const name of config.chain) links.push(await open(name))
  const limits = Object.fromEntries(config.chain.map((name) => [name, config.settings[name]?.monthlyBudget ?? null]))
  return {
    chain: createChain({
      links,
      onNotFound: config.chainOnNotFound,
      budget: createBudget(store, limits),
      clock,
      ...watch,
    }),
    providers: links.map((link) => link.provider),
    async check(name) {
      if (name !== 'directory') {
        const { provider, exchange } = await remote(name)
        return checkProvider(provider, exchange, config.totalTimeoutMs)
      }
      const { provider } = links.find((link) => link.provider.name === name) ?? (await open(name))
      const nothingToSend = async () => Promise.reject(new Error('a directory is not sent to'))
      return checkProvider(provider, nothingToSend, config.totalTimeoutMs)
    },
    async close() {
      for (const closing of closings) await closing()
    },
  }
}

/** Does a thing at the first call and gives its result at all of them. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | null = null
  return () => (result ??= work())
}
