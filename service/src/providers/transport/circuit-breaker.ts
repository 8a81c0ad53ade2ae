import type { Clock } from '../../foundation/clock.ts'
import { ProviderFault } from '../chain/provider-fault.ts'

export type BreakerState = 'closed' | 'open' | 'half-open'

/** What one call showed of a provider. `unknown`: the caller left before it could show anything. */
export type Health = 'up' | 'down' | 'unknown'

export interface BreakerSettings {
  provider: string
  /** So many failed calls in a row open it. */
  failures: number
  /** So long it stays open before one call may try again. */
  openMs: number
  clock: Clock
}

/**
 * Stops asking a provider that is down. Callers do not queue behind the trial call: they are refused at once, so that a
 * stored copy can serve them.
 */
export interface Breaker {
  state(): BreakerState
  /** Why a call would be refused now, or null. */
  refusal(): ProviderFault | null
  /** Admits one call, or throws the refusal. What it returns must be told how the provider did. */
  enter(): (health: Health) => void
}

/** A breaker in the closed state. */
export function createBreaker({ provider, failures, openMs, clock }: BreakerSettings): Breaker {
  let failedInARow = 0
  let openUntil: number | null = null
  let isTrying = false

  function state(): BreakerState {
    if (openUntil === null) return 'closed'
    return clock.now() < openUntil ? 'open' : 'half-open'
  }

  function refusal(): ProviderFault | null {
    const current = state()
    if (openUntil === null || current === 'closed' || (current === 'half-open' && !isTrying)) return null
    const waitSeconds = Math.max(1, Math.ceil((openUntil - clock.now()) / 1000))
    return new ProviderFault(
      'unavailable',
      `${provider} is not asked for now: it failed ${failedInARow} times in a row`,
      {
        retryAfterSeconds: waitSeconds,
      },
    )
  }

  function enter(): (health: Health) => void {
    const refused = refusal()
    if (refused) throw refused
    const isTrial = openUntil !== null
    if (isTrial) isTrying = true
    return (health) => {
      if (isTrial) isTrying = false
      if (health === 'up') {
        failedInARow = 0
        openUntil = null
      } else if (health === 'down') {
        failedInARow += 1
        // A call that began before the breaker opened must not prolong it.
        const mayOpen = isTrial || (openUntil === null && failedInARow >= failures)
        if (mayOpen) openUntil = clock.now() + openMs
      }
    }
  }

  return { state, refusal, enter }
}
