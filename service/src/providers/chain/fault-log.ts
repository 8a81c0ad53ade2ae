import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../../foundation/log.ts'
import { CapReached } from './call-cost.ts'
import type { Attempt } from './ask-one-provider.ts'

const everyMs = 60_000

/**
 * Tells the operator of providers that fail, also while a later one of the chain answers in their place: once a minute for
 * each provider, however many calls it failed. One that rejects our key or account is told apart, because it stays so
 * until the operator acts.
 */
export class FaultLog {
  readonly #log: Log
  readonly #clock: Clock
  readonly #told = new Map<string, { at: number; since: number }>()

  constructor(deps: { log: Log; clock: Clock }) {
    this.#log = deps.log
    this.#clock = deps.clock
  }

  note(attempts: readonly Attempt[], requestId: string): void {
    for (const { provider, outcome, fault, answer } of attempts) {
      if (!fault || fault instanceof CapReached) continue
      const isRejected = outcome === 'rejected'
      const failed = this.#count(`${provider} ${isRejected}`)
      if (failed === null) continue
      const facts = { provider, outcome, cause: fault.reason, status: answer?.status, failed, requestId }
      if (isRejected)
        this.#log.error(facts, 'the provider rejects our key or account: check the contract and VITAE_<PROVIDER>_KEY')
      else this.#log.warn(facts, 'a provider failed, and this is told once a minute')
    }
  }

  /** A failure that the provider's code left behind. `what` names it without its message. */
  noteStray(provider: string, what: string): void {
    const failed = this.#count(`${provider} stray`)
    if (failed === null) return
    this.#log.error(
      { provider, cause: what, failed },
      'the code of a provider left a failure behind: correct its module',
    )
  }

  /** How often it failed since it was last told; null when that was less than a minute ago. */
  #count(name: string): number | null {
    const now = this.#clock.now()
    const told = this.#told.get(name)
    if (told && Math.abs(now - told.at) < everyMs) {
      told.since++
      return null
    }
    this.#told.set(name, { at: now, since: 0 })
    return (told?.since ?? 0) + 1
  }
}
