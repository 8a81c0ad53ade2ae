import { type FaultKind, ProviderFault } from '../provider-fault.ts'
import type { RawAnswer } from '../provider.ts'
import { isAnswer } from './sound-values.ts'

/** A fault for provider code that breaks the agreement of the interface. */
export class BrokenAgreement extends ProviderFault {
  constructor(provider: string, what: string, more: { answer?: RawAnswer | null; cause?: unknown } = {}) {
    const { answer, cause } = more
    super('invalid', `${provider} is faulty: ${what}`, { reason: what, cause, ...(answer ? { answer } : {}) })
    this.name = 'BrokenAgreement'
  }
}

const kinds: Record<FaultKind, true> = {
  unavailable: true,
  timeout: true,
  invalid: true,
  rejected: true,
  limited: true,
}

/** Turns anything that provider code throws into a trustworthy fault. A well-formed `ProviderFault` is kept. */
export function faultFrom(provider: string, where: 'ask' | 'project', thrown: unknown): ProviderFault {
  return soundFault(thrown) ?? new BrokenAgreement(provider, `${where} threw ${nameThrown(thrown)}`, { cause: thrown })
}

/** A description such as `a TypeError at acme.ts:12`. Never contains the message, which may quote the payload. */
export function nameThrown(thrown: unknown): string {
  try {
    if (thrown instanceof ProviderFault) return 'a ProviderFault'
    const isNamed = thrown instanceof Error && /^[A-Za-z]{1,40}$/.test(thrown.name)
    const name = isNamed ? thrown.name : typeof thrown
    return `${/^[AEIOU]/i.test(name) ? 'an' : 'a'} ${name}${placeOf(thrown)}`
  } catch {
    return 'a value that cannot be read'
  }
}

/**
 * The fault itself if it is an instance of our class, or a copy of it. Null if it is not a fault or has an invalid
 * part.
 */
function soundFault(thrown: unknown): ProviderFault | null {
  try {
    if (!(thrown instanceof ProviderFault)) return null
    const { kind, message, reason, answer, retryAfterSeconds } = thrown
    const isWait = retryAfterSeconds === null || (Number.isFinite(retryAfterSeconds) && retryAfterSeconds >= 0)
    const areTexts = typeof message === 'string' && typeof reason === 'string'
    if (!Object.hasOwn(kinds, kind) || !areTexts || !isWait || (answer !== null && !isAnswer(answer))) return null
    if (Object.prototype.isPrototypeOf.call(ProviderFault.prototype, thrown)) return thrown
    const more = { ...(answer ? { answer } : {}), ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) }
    return new ProviderFault(kind, message, { ...more, reason, cause: thrown })
  } catch {
    // Reading a property threw.
    return null
  }
}

/** File name and line of the frame that threw, without the query of a module's URL. */
function placeOf(thrown: unknown): string {
  const stack = thrown instanceof Error ? String(thrown.stack) : ''
  const [, file, line] = /\n\s+at [^\n]*?([\w.-]+)(?:\?[^\s:]*)?:(\d+):\d+\)?(?:\n|$)/.exec(stack) ?? []
  return file ? ` at ${file}:${line}` : ''
}
