import type { Hooks } from './hooks.ts'
import { readSpendTag } from './lookup-request.ts'
import type { ClientOptions, Fetch } from './options.ts'
import { systemTiming, type Timing } from './timing.ts'

/** The client's options, validated and complete. */
export type Settings = {
  apiKey: string
  baseUrl: string
  timeoutMs: number
  maxRetries: number
  spendTag: string | undefined
  fetch: Fetch
  timing: Timing
  hooks: Hooks
}

/** The longest delay of a timer: above it, Node fires at once. */
const longestTimerMs = 2 ** 31 - 1

/**
 * Reads the options, with defaults from the environment. Throws a TypeError that names the wrong option and never shows
 * the key.
 */
export function readSettings(options: ClientOptions): Settings {
  const { onRequest, onResponse, onRetry } = options
  return {
    apiKey: readApiKey(options.apiKey ?? readVariable('VITAE_API_KEY')),
    baseUrl: readBaseUrl(options.baseUrl ?? readVariable('VITAE_URL')),
    timeoutMs: readTimeout(options.timeoutMs ?? 90_000),
    maxRetries: readMaxRetries(options.maxRetries ?? 3),
    spendTag: readSpendTag(options.spendTag),
    // Reads the global at each call, so that a fetch installed later by a test or a tracer is used.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timing: { ...systemTiming, ...options.timing },
    hooks: {
      ...(onRequest && { onRequest }),
      ...(onResponse && { onResponse }),
      ...(onRetry && { onRetry }),
    },
  }
}

/** A number of milliseconds that a timer accepts. */
export function readTimeout(timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs <= longestTimerMs) return timeoutMs
  throw new TypeError(`timeoutMs must be above 0 and at most ${longestTimerMs}`)
}

/** A non-empty environment variable, if this runtime has an environment. */
function readVariable(name: string): string | undefined {
  return globalThis.process?.env[name]?.trim() || undefined
}

function missing(option: string, variable: string): string {
  const example = "new VitaeClient({ apiKey: 'vt_test_...', baseUrl: 'http://127.0.0.1:8080' })"
  return `${option} is missing: pass it as in ${example}, or set ${variable} in the environment`
}

/** Refuses an invalid header value here, because fetch would quote it, and so the key, in its error. */
function readApiKey(apiKey: unknown): string {
  if (apiKey === undefined) throw new TypeError(missing('apiKey', 'VITAE_API_KEY'))
  if (typeof apiKey === 'string' && /^[!-~]+$/.test(apiKey)) return apiKey
  throw new TypeError('apiKey must be the key of a Vitae service: visible ASCII characters without spaces')
}

function readBaseUrl(baseUrl: string | URL | undefined): string {
  if (baseUrl === undefined) throw new TypeError(missing('baseUrl', 'VITAE_URL'))
  const url = URL.canParse(String(baseUrl)) ? new URL(String(baseUrl)) : null
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash
  if (isPlain) return url.href.replace(/\/+$/, '')
  throw new TypeError('baseUrl must be an http or https URL without credentials, query or fragment')
}

function readMaxRetries(maxRetries: number): number {
  if (Number.isInteger(maxRetries) && maxRetries >= 0) return maxRetries
  throw new TypeError('maxRetries must be a whole number from 0')
}
