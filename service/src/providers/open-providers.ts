import type { Dispatcher } from 'undici'
import type { Attempt, Link } from './chain/ask-one-provider.ts'
import type { Clock } from '../foundation/clock.ts'
import { StartError } from '../foundation/data-folder.ts'
import type { Log } from '../foundation/log.ts'
import { createBudget, type CallCounts } from './call-counts.ts'
import { createChain, type Chain } from './chain/chain.ts'
import { checkProvider, type ProviderCheck } from './check-provider.ts'
import { bundledDirectory, openDirectory } from './directory/directory.ts'
import type { OnBadLine } from './directory/shelf.ts'
import { mirror } from './mirror/mirror.ts'
import { confirmProvider, type Confirmation } from './confirm-provider.ts'
import { asProvider, type Identifier, type Provider } from '@vitae/provider'
import { findRegistration } from './registry.ts'
import { createSend } from './transport/send-with-retries.ts'
import type { Exchange } from './transport/transport.ts'

interface ProviderConfig {
  url: string | null
  key: string | null
  variables?: Record<string, string>
  timeoutMs: number | null
  concurrency: number | null
  monthlyBudget: number | null
  cost: number | null
}

/** The provider settings of the configuration. */
export interface ProvidersConfig {
  /** Names of vendors, `directory` or `mirror`. */
  chain: readonly string[]
  settings: Record<string, ProviderConfig>
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
  config: ProvidersConfig
  counts: Pick<CallCounts, 'spend' | 'peek'>
  clock: Clock
  log: Log
  onAttempt?: (attempt: Attempt) => void
  /** The digest of the provider file that an operator has confirmed. */
  providerStates?: (args: null) => Promise<{ provider: string; confirmed: string | null }[]>
}

/** The providers of one service, ready to be asked. */
export interface OpenProviders {
  chain: Chain
  providers: readonly Provider[]
  /** Makes one cheap call to a provider, even if it is not in the chain. */
  check(name: string): Promise<ProviderCheck>
  /** Asks a provider for one record, and shows the whole exchange. */
  confirm(name: string, identifier: Identifier): Promise<Confirmation>
  close(): Promise<void>
}

/** Resources that all providers share; `closings` release them. */
interface Shared {
  deps: Deps
  connections(): Promise<Dispatcher>
  closings: (() => Promise<void>)[]
}

/** Opens every configured provider, in the order in which they are asked. */
export async function openProviders(deps: Deps): Promise<OpenProviders> {
  const { config, counts, clock, onAttempt } = deps
  const shared = share(deps)
  const links: Link[] = []
  for (const name of config.chain) links.push(await openLink(shared, name))
  const limits = Object.fromEntries(config.chain.map((name) => [name, config.settings[name]?.monthlyBudget ?? null]))
  return {
    chain: createChain({
      links,
      onNotFound: config.chainOnNotFound,
      budget: createBudget(counts, limits),
      clock,
      ...(onAttempt ? { onAttempt } : {}),
    }),
    providers: links.map((link) => link.provider),
    check: (name) => checkByName(shared, links, name),
    confirm: async (name, identifier) => {
      const { provider, exchange } = await openRemote(shared, name)
      const key = config.settings[name]?.key ?? ''
      return confirmProvider(provider, exchange, { identifier, key, timeoutMs: config.totalTimeoutMs })
    },
    async close() {
      for (const closing of shared.closings) await closing()
    },
  }
}

function share(deps: Deps): Shared {
  const closings: Shared['closings'] = []
  let opened: Promise<Dispatcher> | null = null
  const open = async () => {
    const { openConnections } = await import('./transport/transport.ts')
    const connections = openConnections()
    closings.push(() => connections.close())
    return connections
  }
  return { deps, closings, connections: () => (opened ??= open()) }
}

async function openLink(shared: Shared, name: string): Promise<Link> {
  const { config, clock } = shared.deps
  if (name === 'directory') {
    const price = config.settings[name]?.cost ?? null
    const { totalTimeoutMs: totalMs, attemptTimeoutMs: attemptMs } = config
    return { provider: await openFolder(shared), sender: null, totalMs, attemptMs, price }
  }
  const { provider, exchange } = await openRemote(shared, name)
  const own = config.settings[name]
  const breaker = { failures: config.breakerFailures, openMs: config.breakerMs }
  // A provider with a longer attempt timeout gets a longer total timeout too; otherwise the attempt could never use it.
  const totalMs = Math.max(config.totalTimeoutMs, own?.timeoutMs ?? 0)
  const concurrency = own?.concurrency ?? config.concurrency
  const sender = createSend(name, { exchange, clock, totalMs, concurrency, breaker })
  const attemptMs = own?.timeoutMs ?? config.attemptTimeoutMs
  return { provider, sender, totalMs, attemptMs, price: own?.cost ?? null, ...confirmedBy(shared, name) }
}

/** Once confirmed, it stays confirmed: only another file has another digest. */
function confirmedBy({ deps: { providerStates } }: Shared, name: string): Pick<Link, 'isConfirmed'> {
  const facts = findRegistration(name)?.facts
  if (!facts || !providerStates) return {}
  let isKnown = false
  const read = async () =>
    (await providerStates(null)).some(({ provider, confirmed }) => provider === name && confirmed === facts.digest)
  return { isConfirmed: async () => (isKnown ||= await read()) }
}

async function openFolder({ deps: { config, clock, log }, closings }: Shared): Promise<Provider> {
  const folder = config.directory ?? bundledDirectory
  const onBadLine: OnBadLine = (line) =>
    log.warn(
      line,
      `${line.fields ? 'fields of a' : 'a'} line of the directory cannot be read and ${line.fields ? 'are' : 'is'} left out`,
    )
  const directory = await openDirectory({ folder, clock, onBadLine }).catch((error: unknown) => {
    throw new StartError(
      `VITAE_DIRECTORY ${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  closings.push(() => directory.close())
  return directory
}

async function openRemote(shared: Shared, name: string): Promise<{ provider: Provider; exchange: Exchange }> {
  const { config, clock } = shared.deps
  const own = config.settings[name]
  const vendor = name === 'mirror' ? { create: mirror, defaultUrl: '' } : findRegistration(name)
  if (!vendor) throw new StartError(`There is no provider ${name}`)
  const { create, defaultUrl } = vendor
  const url = own?.url ?? defaultUrl
  // The HTTP client is loaded only if a provider needs it: a directory on disk does not.
  const { createTransport } = await import('./transport/transport.ts')
  const exchange = createTransport({
    provider: name,
    attemptTimeoutMs: own?.timeoutMs ?? config.attemptTimeoutMs,
    maxBytes: config.maxBytes,
    origins: [url],
    clock,
    dispatcher: await shared.connections(),
  })
  return { provider: made(name, () => create({ url, key: own?.key ?? '', variables: own?.variables ?? {} })), exchange }
}

/**
 * If a module cannot create its provider with these settings, the service does not start, and the message names the
 * module.
 */
function made(name: string, create: () => Provider): Provider {
  try {
    return asProvider(name, create)
  } catch (cause) {
    throw new StartError(
      `The provider ${name} cannot be created: its module threw ${cause instanceof Error ? cause.name : typeof cause}`,
    )
  }
}

async function checkByName(shared: Shared, links: readonly Link[], name: string): Promise<ProviderCheck> {
  const { totalTimeoutMs } = shared.deps.config
  if (name !== 'directory') {
    const { provider, exchange } = await openRemote(shared, name)
    return checkProvider(provider, exchange, totalTimeoutMs)
  }
  const provider = links.find((link) => link.provider.name === name)?.provider ?? (await openFolder(shared))
  const nothingToSend = async () => Promise.reject(new Error('a directory provider sends no requests'))
  return checkProvider(provider, nothingToSend, totalTimeoutMs)
}
