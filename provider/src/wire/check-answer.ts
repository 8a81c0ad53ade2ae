import { retryAfterSeconds } from './retry-after.ts'
import { ProviderFault } from '../provider-fault.ts'
import { header } from './header.ts'
import type { RawAnswer } from '../provider.ts'

/** The number of credits in a header, or null. */
export function creditsIn(answer: RawAnswer, name: string): number | null {
  const value = header(answer, name)
  if (value === null || value.trim() === '') return null
  const credits = Number(value)
  return Number.isFinite(credits) && credits >= 0 ? credits : null
}

/**
 * Throws the fault for a status. `status` is a separate argument because some envelopes put the real status inside a
 * 200. The provider itself judges the remaining 2xx and 404.
 */
export function throwFaultOf(provider: string, status: number, answer: RawAnswer): void {
  if ((status >= 200 && status < 300) || status === 404) return
  const shown = { answer, reason: `HTTP ${status}` }
  if (status === 401 || status === 402 || status === 403) {
    throw new ProviderFault('rejected', `${provider} refuses this account (${status})`, shown)
  }
  if (status === 429) {
    const wait = retryAfterSeconds(answer)
    const more = wait === null ? shown : { ...shown, retryAfterSeconds: wait }
    throw new ProviderFault('limited', `${provider} asks for fewer calls (429)`, more)
  }
  if (status >= 500) throw new ProviderFault('unavailable', `${provider} failed (${status})`, shown)
  throw new ProviderFault('invalid', `${provider} did not understand the request (${status})`, shown)
}

/** Throws if a 404 is a web page: then the URL is wrong, and the answer does not mean "no such record". */
export function throwIfWebPage(provider: string, answer: RawAnswer): void {
  const start = new TextDecoder().decode(answer.body.subarray(0, 64)).trimStart()
  if (start.startsWith('<'))
    throw new ProviderFault('invalid', `${provider} answered ${answer.status} with a web page`, {
      answer,
      reason: `HTTP ${answer.status} with a web page`,
    })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses the JSON body. Throws `ProviderFault('invalid')` for anything that is not UTF-8 JSON. */
export function parsePayload(provider: string, body: Uint8Array, answer?: RawAnswer): unknown {
  try {
    return JSON.parse(utf8.decode(body)) as unknown
  } catch {
    // The parser's error quotes the payload, so it is dropped.
    throw new ProviderFault('invalid', `${provider} sent something that is not JSON`, answer ? { answer } : {})
  }
}

/** Like `parsePayload`, and the value must be an object. */
export function parseObject(provider: string, body: Uint8Array, answer?: RawAnswer): Record<string, unknown> {
  const value = parsePayload(provider, body, answer)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new ProviderFault('invalid', `${provider} sent JSON that is not a record`, answer ? { answer } : {})
}

/** Throws if a payload has no fact that identifies its subject. A vendor's own id is not enough. */
export function throwIfNameless(provider: string, ...known: (string | null)[]): void {
  if (known.every((one) => one === null)) throw new ProviderFault('invalid', `this ${provider} payload names nobody`)
}
