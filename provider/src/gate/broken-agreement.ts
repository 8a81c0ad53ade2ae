import { type FaultKind, ProviderFault } from '../provider-fault.ts'
import type { RawAnswer } from '../provider.ts'
import { isAnswer } from './sound-values.ts'

/** The code of a provider did something that the interface does not allow. */
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

/** What the code of a provider threw, as a fault that can be relied on. A sound `ProviderFault` stays one. */
export function faultFrom(provider: string, where: 'ask' | 'project', thrown: unknown): ProviderFault {
  return soundFault(thrown) ?? new BrokenAgreement(provider, `${where} threw ${nameThrown(thrown)}`, { cause: thrown })
}

/** `a TypeError at acme.ts:12`, or what else was thrown. Never its message, which may quote the payload. */
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

/** The fault itself if it is of our own class, or a copy; null if it is none, or a part of it is not what it must be. */
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
    // Reading it threw again.
    return null
  }
}

/** File and line of the frame that threw, without folders. */
function placeOf(thrown: unknown): string {
  const stack = thrown instanceof Error ? String(thrown.stack) : ''
  const [, place] = /\n\s+at [^\n]*?([\w.-]+:\d+):\d+\)?(?:\n|$)/.exec(stack) ?? []
  return place ? ` at ${place}` : ''
}
