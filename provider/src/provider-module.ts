import type { Kind } from '@vitae/contract'
import type { Provider, ProviderSettings } from './provider.ts'

/** What the module of a provider exports as `provider`. */
export interface ProviderModule {
  /** Lower-case letters and digits. It names the provider in `VITAE_UPSTREAM` and its settings: `VITAE_<NAME>_KEY`. */
  name: string
  /** The name as the company behind it writes it. */
  label: string
  /** Where it is reached unless the operator sets `VITAE_<NAME>_URL`. */
  defaultUrl: string
  /** Time for one attempt unless the operator sets one, where the provider is known to need more than others. */
  timeoutMs?: number
  /** Other settings that it reads, by the ends of their names: `region` is `VITAE_<NAME>_REGION`. */
  variables?: readonly string[]
  /** What is known of a provider that was written as a file. */
  facts?: FileFacts
  create(settings: ProviderSettings): Provider
}

/** What a provider file says of itself, for operators. */
export interface FileFacts {
  site: string
  /** How sure its facts are. Nobody has to have called the vendor. */
  certainty: 'seen_live' | 'documented' | 'inferred'
  notes: readonly { says: string; source: string; date: string }[]
  /** What it can be asked by. */
  by: Record<Kind, readonly string[]>
  /** How a call is billed, in words. */
  billed: Record<Kind, string | null>
  /** It can be told how old its data may be. */
  takesMaxAge: boolean
  /** The key is sent in the address, because the vendor knows no other way. */
  isKeyInQuery: boolean
  /** Of the requests and verdicts: a confirmation counts for them alone. */
  digest: string
}

/** The provider in what a module exports, or what is wrong with it, in words. */
export function readProviderModule(exported: unknown): { module: ProviderModule } | { faults: string[] } {
  const candidate = partOf(exported, 'provider')
  if (!isObject(candidate)) return { faults: ['it exports no object "provider"'] }
  const faults = [...factFaults(candidate), ...(typeof candidate.create === 'function' ? madeFaults(candidate) : [])]
  return faults.length > 0 ? { faults } : { module: candidate as unknown as ProviderModule }
}

function factFaults({ name, label, defaultUrl, timeoutMs, create }: Record<string, unknown>): string[] {
  return broken({
    'name is not 2 to 30 lower-case letters and digits that begin with a letter':
      typeof name === 'string' && /^[a-z][a-z\d]{1,29}$/.test(name),
    'label is not a text': typeof label === 'string' && label.trim() !== '',
    'defaultUrl is not an address that begins with https:// or http://':
      typeof defaultUrl === 'string' && URL.canParse(defaultUrl) && /^https?:$/.test(new URL(defaultUrl).protocol),
    'timeoutMs is not a whole number above 0':
      timeoutMs === undefined || (Number.isSafeInteger(timeoutMs) && Number(timeoutMs) > 0),
    'create is not a function': typeof create === 'function',
  })
}

/** What it makes must be whole too: a part that is missing would be noticed at the first call only. */
function madeFaults(candidate: Record<string, unknown>): string[] {
  const made = attempt(() =>
    (candidate as unknown as ProviderModule).create({ url: String(candidate.defaultUrl), key: '' }),
  )
  if (!made || !isObject(made.value)) return ['create gives no provider for { url, key }']
  const { name, supplies, projectionVersion, ask, project } = made.value
  const isSet = (kind: string) => partOf(supplies, kind) instanceof Set
  return broken({
    'the provider has another name than the module': name === candidate.name,
    'supplies has no Set of paths for people and for companies': isSet('people') && isSet('companies'),
    'projectionVersion is not a whole number': Number.isSafeInteger(projectionVersion),
    'ask is not a function': typeof ask === 'function',
    'project is not a function': typeof project === 'function',
  })
}

function broken(rules: Record<string, boolean>): string[] {
  return Object.keys(rules).filter((fault) => !rules[fault])
}

function attempt(make: () => unknown): { value: unknown } | null {
  try {
    return { value: make() }
  } catch {
    return null
  }
}

function partOf(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
