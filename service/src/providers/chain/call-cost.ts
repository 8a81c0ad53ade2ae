import { ProviderFault } from '@vitae/provider'

const perUnit = 1_000_000

/** Why a provider was not asked, or not asked again. */
export const overTheCap = 'another request would pass VITAE_MAX_COST_PER_CALL'

/** The provider costs too much for what is left of the cap of a call: it was not asked. */
export class CapReached extends ProviderFault {
  constructor(provider: string) {
    super('unavailable', `${provider} was not asked: ${overTheCap}`, { reason: overTheCap })
  }
}

/** Requests of one provider in one ask, as far as it may bill them. */
export interface Meter {
  /** Whether one more fits under the cap of the call. */
  fits(): boolean
  /** A request is about to be sent. */
  count(): void
  /** How it ended shows that nobody bills it. */
  giveBack(): void
  readonly requests: number
}

/**
 * What one call may cost, over all providers that it asks and all their retries. A request counts from before it is sent: one that
 * is cut off may be billed all the same. Kept in whole millionths, as prices are.
 */
export class CallCost {
  readonly #cap: number
  #spent = 0

  /** `cap` in the currency of the prices; null = none. */
  constructor(cap: number | null) {
    this.#cap = cap === null ? Infinity : Math.round(cap * perUnit)
  }

  /** Counts for one provider; one without a price costs nothing. */
  meter(price: number | null): Meter {
    const each = Math.round((price ?? 0) * perUnit)
    let requests = 0
    return {
      fits: () => this.#spent + each <= this.#cap,
      count: () => {
        requests += 1
        this.#spent += each
      },
      giveBack: () => {
        requests -= 1
        this.#spent -= each
      },
      get requests() {
        return requests
      },
    }
  }
}
