import type { Kind } from '@vitae/contract'
import type { Provider, ProviderSettings } from './provider.ts'

/** The interface of the `provider` export of a provider module. */
export interface ProviderModule {
  /** Lower-case letters and digits. It names the provider in `VITAE_UPSTREAM` and its settings: `VITAE_<NAME>_KEY`. */
  name: string
  /** The vendor's own spelling of its name. */
  label: string
  /** The base URL, unless the operator sets `VITAE_<NAME>_URL`. */
  defaultUrl: string
  /** Default time limit of one attempt, for providers that need longer than others. */
  timeoutMs?: number
  /** Names of further settings, in lower case: `region` is `VITAE_<NAME>_REGION`. */
  variables?: readonly string[]
  /** Facts about a provider that is written as a provider file. */
  facts?: FileFacts
  create(settings: ProviderSettings): Provider
}

/** Facts from a provider file, for operators. */
export interface FileFacts {
  site: string
  /** How well the facts are confirmed. A provider file may exist without any call to the vendor. */
  certainty: 'seen_live' | 'documented' | 'inferred'
  notes: readonly { says: string; source: string; date: string }[]
  /** The accepted inputs. */
  by: Record<Kind, readonly string[]>
  /** A description of how a call is billed. */
  billed: Record<Kind, string | null>
  /** Whether a request can limit the age of the data. */
  takesMaxAge: boolean
  /** Whether the key is sent in the URL, because the vendor accepts no other way. */
  isKeyInQuery: boolean
  /** Digest of the requests and verdicts. A confirmation is valid only for the same digest. */
  digest: string
}

/** The provider that a module exports, or a list of its faults in words. */
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

/** Checks the created provider as well, so that a missing part is reported at load and not at the first call. */
function madeFaults(candidate: Record<string, unknown>): string[] {
  const made = attempt(() =>
    (candidate as unknown as ProviderModule).create({ url: String(candidate.defaultUrl), key: '' }),
  )
  if (!made || !isObject(made.value)) return ['create returns no provider for { url, key }']
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
