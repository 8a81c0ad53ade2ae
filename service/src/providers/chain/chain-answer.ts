import { type Projection, type Provider, ProviderFault, type Verdict } from '@vitae/provider'
import type { Route } from '../../foundation/environments/route.ts'
import type { Attempt } from './ask-one-provider.ts'
import { CapReached } from '../transport/exchange.ts'

/**
 * The outcome of an ask is decided once, in `missOutcome`, and later steps read its name:
 *
 *     outcome           when                                             what follows
 *     found             a provider has the record                        the record is stored and served
 *     unknown           all providers were asked, and none has it        404; the copy is withdrawn from everybody,
 *                                                                        and the miss is remembered for everybody
 *     unknown_on_route  all providers of the route were asked, the       404; the same, but only for environments
 *                       chain has others, and none asked has it          that may ask nobody else
 *     uncertain         a provider does not have it, and another one     a stale copy, or a 404; nothing is withdrawn
 *                       that may have it was left out, too expensive     and nothing is remembered
 *                       or failed; or the request named required
 *                       fields; or its file is not confirmed
 *     ambiguous         a provider has several records that fit, and     404 `ambiguous_match`; nothing is withdrawn
 *                       none has a single one                            and nothing is remembered
 *
 * With `onNotFound`, an outage of any provider means that there is no answer: the chain throws `ChainFault`.
 */
export type ChainAnswer = FoundAnswer | MissAnswer

/** A provider has the record. */
export interface FoundAnswer extends Answered {
  outcome: 'found'
  projection: Projection
}

/** No asked provider has the record. The provider and the verdict are those of the first "not found". */
export interface MissAnswer extends Answered {
  outcome: MissOutcome
}

export type MissOutcome = 'unknown' | 'unknown_on_route' | 'uncertain' | 'ambiguous'

interface Answered {
  provider: Provider
  verdict: Verdict
  /** The attempt of every asked provider, in order. */
  attempts: Attempt[]
}

/** One provider's "not found". */
export interface Denial {
  provider: Provider
  verdict: Verdict
  /** No operator has confirmed this provider, so its "not found" proves nothing. */
  isUnsure?: boolean
}

/** The facts that decide the kind of miss. */
interface MissFacts {
  denials: readonly Denial[]
  /** The number of providers on the route that can answer the question. */
  able: number
  /** The route contains every provider of the chain that can answer the question. */
  isWholeChain: boolean
  /** Providers were left out because they lack what the call requires. */
  hasSkipped: boolean
  /** The call requires fields. */
  hasRequired: boolean
}

/** Decides which kind of miss the "not found" answers add up to. */
export function missOutcome({ denials, able, isWholeChain, hasSkipped, hasRequired }: MissFacts): MissOutcome {
  if (denials.some(({ verdict }) => verdict.isAmbiguous)) return 'ambiguous'
  if (hasSkipped || denials.length < able || denials.some(({ isUnsure }) => isUnsure)) return 'uncertain'
  if (hasRequired && denials.some(({ provider }) => provider.isToldRequired)) return 'uncertain'
  return isWholeChain ? 'unknown' : 'unknown_on_route'
}

/** No provider returned an answer that counts. The kind is that of the last fault. */
export class ChainFault extends ProviderFault {
  readonly attempts: readonly Attempt[]
  /** The route, if none of its providers is configured. */
  readonly route: Route

  constructor(attempts: readonly Attempt[], route: Route = null) {
    const faults = attempts.flatMap((attempt) => attempt.fault ?? [])
    // A provider that was asked and failed explains more than one that exceeded the cost limit.
    const last = faults.findLast((fault) => !(fault instanceof CapReached)) ?? faults.at(-1)
    const waits = faults.flatMap((fault) => fault.retryAfterSeconds ?? [])
    const nobody = route ? `none of ${route.join(', ')} is configured` : 'no provider is configured'
    super(last?.kind ?? 'unavailable', faults.map((fault) => fault.message).join('; ') || nobody, {
      ...(last?.answer ? { answer: last.answer } : {}),
      ...(waits.length > 0 ? { retryAfterSeconds: Math.min(...waits) } : {}),
      cause: last,
    })
    this.name = 'ChainFault'
    this.attempts = attempts
    this.route = route
  }

  /** Whether the call's cost limit was the only obstacle. */
  get isCapped(): boolean {
    return this.attempts.length > 0 && isWithoutOutage(this.attempts)
  }
}

/** The call's cost limit is not an outage of the provider that exceeds it. */
export function isWithoutOutage(attempts: readonly Attempt[]): boolean {
  return attempts.every(({ fault }) => fault === null || fault instanceof CapReached)
}
