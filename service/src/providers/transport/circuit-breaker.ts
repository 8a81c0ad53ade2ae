import type { Clock } from '../../foundation/clock.ts'
import { ProviderFault } from '@vitae/provider'

export type BreakerState = 'closed' | 'open' | 'half-open'

/** The health of a provider as one call showed it. `unknown`: the caller disconnected before. */
export type Health = 'up' | 'down' | 'unknown'

export interface BreakerSettings {
  provider: string
  /** The number of consecutive failed calls that open the breaker. */
  failures: number
  /** How long it stays open before one trial call is allowed. */
  openMs: number
  clock: Clock
}

/**
 * Stops calls to a provider that is down. It decides per environment: consecutive failures close the provider to their
 * own environment. It is closed to all once it is closed to at least two environments, and to most of those that asked
 * recently. So ids that hang for one caller affect no one else. Callers do not queue behind the trial call: they are
 * refused at once, so that a stored copy can serve them.
 */
export interface Breaker {
  state(): BreakerState
  /** Why a call of this environment would be refused now; null if it would not. */
  refusal(environmentId: number): ProviderFault | null
  /** Admits one call, or throws the refusal. Call the returned function with the provider's health. */
  enter(environmentId: number): (health: Health) => void
}

/** The recent results of one environment. */
interface Seen {
  failedInARow: number
  openUntil: number | null
  isTrying: boolean
  lastAt: number
}

/** A breaker in the closed state. */
export function createBreaker({ provider, failures, openMs, clock }: BreakerSettings): Breaker {
  const seen = new Map<number, Seen>()
  /** The environments to which the provider is closed. */
  const closed = new Set<Seen>()

  function seenBy(environmentId: number): Seen {
    const known = seen.get(environmentId)
    if (known) return known
    forgetIdle()
    const fresh: Seen = { failedInARow: 0, openUntil: null, isTrying: false, lastAt: clock.elapsed() }
    seen.set(environmentId, fresh)
    return fresh
  }

  /** An environment that has not asked for a while says nothing about the provider any more. */
  function forgetIdle(): void {
    const since = clock.elapsed() - 4 * openMs
    for (const [environmentId, one] of seen) {
      if (one.lastAt >= since || one.isTrying) continue
      seen.delete(environmentId)
      closed.delete(one)
    }
  }

  /** The state that decides for all if most environments are closed: that of the last one to close. */
  function ofAll(): Seen | null {
    if (closed.size < 2 || closed.size * 2 <= seen.size) return null
    return [...closed].reduce((last, one) => ((one.openUntil ?? 0) > (last.openUntil ?? 0) ? one : last))
  }

  function stateOf({ openUntil }: Seen): BreakerState {
    if (openUntil === null) return 'closed'
    return clock.elapsed() < openUntil ? 'open' : 'half-open'
  }

  function decisive(environmentId: number): Seen | null {
    const own = seen.get(environmentId)
    return own?.openUntil ? own : ofAll()
  }

  function refusal(environmentId: number): ProviderFault | null {
    const one = decisive(environmentId)
    if (!one || one.openUntil === null || (stateOf(one) === 'half-open' && !one.isTrying)) return null
    return new ProviderFault(
      'unavailable',
      `${provider} is not asked now, because it failed ${one.failedInARow} times in a row`,
      { retryAfterSeconds: Math.max(1, Math.ceil((one.openUntil - clock.elapsed()) / 1000)) },
    )
  }

  function enter(environmentId: number): (health: Health) => void {
    const refused = refusal(environmentId)
    if (refused) throw refused
    const trial = decisive(environmentId)
    if (trial) trial.isTrying = true
    return (health) => {
      if (trial) trial.isTrying = false
      if (health === 'up') succeed(environmentId, trial)
      else if (health === 'down') fail(environmentId, trial)
    }
  }

  function succeed(environmentId: number, trial: Seen | null): void {
    const own = seenBy(environmentId)
    own.lastAt = clock.elapsed()
    for (const one of trial ? [own, ...closed] : [own]) {
      one.failedInARow = 0
      one.openUntil = null
      closed.delete(one)
    }
  }

  function fail(environmentId: number, trial: Seen | null): void {
    const own = seenBy(environmentId)
    own.failedInARow += 1
    own.lastAt = clock.elapsed()
    // A call that began before the breaker opened must not extend it.
    const mayOpen = own.openUntil === null && own.failedInARow >= failures
    for (const one of [trial, mayOpen ? own : null]) {
      if (!one) continue
      one.openUntil = clock.elapsed() + openMs
      closed.add(one)
    }
  }

  /** The state as most environments see it. */
  function state(): BreakerState {
    const [first] = closed
    return first && closed.size * 2 > seen.size ? stateOf(ofAll() ?? first) : 'closed'
  }

  return { state, refusal, enter }
}
