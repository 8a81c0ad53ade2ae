import { type Variable, isInjected, type Environment } from './setting-values.ts'
import { nearestName } from '../foundation/text/nearest-name.ts'

/** The settings that are compared with each other. */
interface Values {
  http: { proxyTimeoutMs: number }
  freshness: { defaultDays: number; capDays: number }
  upstream: {
    chain: readonly string[]
    settings: Readonly<Record<string, { timeoutMs: number | null; cost: number | null } | undefined>>
    costPerCall: number | null
    attemptTimeoutMs: number
    longestAttemptMs: number
    totalTimeoutMs: number
  }
}

/** Settings that work, but not as most operators would expect: reported at the start and by `vitae config check`. */
export function doubtfulSettings(values: Values, variables: readonly Variable[]): string[] {
  return [
    ...slowUpstream(values),
    ...shortProxyTimeout(values),
    ...ageAboveCap(values, variables),
    ...priceAboveLimit(values),
  ]
}

function slowUpstream({ upstream: { totalTimeoutMs, longestAttemptMs } }: Values): string[] {
  if (totalTimeoutMs >= longestAttemptMs) return []
  return [
    `VITAE_UPSTREAM_TOTAL_MS (${totalTimeoutMs}) is shorter than one attempt of a provider may take (${longestAttemptMs}): raise it, or leave it unset`,
  ]
}

/** A proxy that gives up first shows callers its own error, while the provider is still paid for the record. */
function shortProxyTimeout({ upstream, http: { proxyTimeoutMs } }: Values): string[] {
  const { chain, settings, attemptTimeoutMs, totalTimeoutMs } = upstream
  if (chain.length === 0 || totalTimeoutMs < proxyTimeoutMs) return []
  const slow = chain.filter((name) => (settings[name]?.timeoutMs ?? attemptTimeoutMs) >= proxyTimeoutMs)
  const named = slow.map((name) => {
    const own = settings[name]?.timeoutMs ?? null
    return own === null
      ? `VITAE_UPSTREAM_TIMEOUT_MS (${attemptTimeoutMs})`
      : `VITAE_${name.toUpperCase()}_TIMEOUT_MS (${own})`
  })
  const causes = named.length > 0 ? [...new Set(named)] : [`VITAE_UPSTREAM_TOTAL_MS (${totalTimeoutMs})`]
  return causes.map(
    (cause) =>
      `${cause} lets a call take longer than a proxy waits, VITAE_PROXY_TIMEOUT_SECONDS (${proxyTimeoutMs / 1_000}): lower it, or raise the proxy's timeout and that setting`,
  )
}

function ageAboveCap({ freshness: { defaultDays, capDays } }: Values, variables: readonly Variable[]): string[] {
  const isChosen = variables.some(({ name, source }) => name === 'VITAE_MAX_AGE_DEFAULT_DAYS' && source !== 'default')
  if (!isChosen || defaultDays <= capDays) return []
  return [
    `VITAE_MAX_AGE_DEFAULT_DAYS (${defaultDays}) is above VITAE_MAX_AGE_CAP_DAYS (${capDays}), which applies to every call: raise the cap, or lower the default`,
  ]
}

/** A provider without a price passes every limit, and one that costs more than the limit is never asked. */
function priceAboveLimit({ upstream: { chain, settings, costPerCall } }: Values): string[] {
  if (costPerCall === null) return []
  return chain.flatMap((name) => {
    const variable = `VITAE_${name.toUpperCase()}_COST`
    const cost = settings[name]?.cost ?? null
    if (cost === null && name !== 'directory')
      return `VITAE_MAX_COST_PER_CALL (${costPerCall}) does not count ${name}, because ${variable} is not set: set it`
    if (cost === null || cost <= costPerCall) return []
    return `${variable} (${cost}) is above VITAE_MAX_COST_PER_CALL (${costPerCall}), so ${name} is never asked: raise the cap`
  })
}

/** Read by the command line and by the examples for callers, not by the service. */
const readElsewhere = ['VITAE_URL', 'VITAE_API_KEY', 'VITAE_API_KEY_FILE', 'VITAE_KEY']

/** Settings that people look for under another word. */
const subjects: readonly [word: RegExp, name: string][] = [
  [/RETENTION|RETAIN/, 'VITAE_RECORD_DAYS'],
  [/PROVIDER/, 'VITAE_UPSTREAM'],
]

/** One line for each unknown VITAE_ variable: otherwise a misspelt name would silently mean the default. */
export function unknownNames(
  env: Environment,
  { known, removed }: { known: readonly string[]; removed: readonly string[] },
): string[] {
  const names = new Set([...known, ...readElsewhere])
  return Object.entries(env).flatMap(([name, text = '']) => {
    if (!name.startsWith('VITAE_') || names.has(name) || removed.includes(name) || text.trim() === '') return []
    if (name.startsWith('VITAE_TEST_') || isInjected(name, text.trim())) return []
    return [`${name} is not a setting: ${hint(name, names)} (VITAE_ALLOW_UNKNOWN=true makes this a warning)`]
  })
}

function hint(name: string, known: ReadonlySet<string>): string {
  const near = suggestion(name, known)
  return near === null ? '.env.example lists them all' : `did you mean ${near}?`
}

function suggestion(name: string, known: ReadonlySet<string>): string | null {
  const plain = name.slice('VITAE_'.length)
  // The conventional names have no prefix: PORT, DATABASE_URL.
  if (known.has(plain)) return plain
  const subject = subjects.find(([word]) => word.test(plain))?.[1]
  const near = nearestName(plain, [...known].map(withoutPrefix))
  const full = near === null || known.has(near) ? near : `VITAE_${near}`
  return full ?? subject ?? [...known].find((candidate) => candidate.includes(plain)) ?? null
}

function withoutPrefix(name: string): string {
  return name.replace(/^VITAE_/, '')
}
