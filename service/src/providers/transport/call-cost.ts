import { ProviderFault } from '@vitae/provider'

const perUnit = 1_000_000

/** Why a provider was not asked, or not asked again. */
const overTheCap = 'another request would exceed VITAE_MAX_COST_PER_CALL'

/** The provider's price exceeds what is left of the call's cost limit, so it was not asked. */
export class CapReached extends ProviderFault {
  constructor(provider: string) {
    super('unavailable', `${provider} was not asked: ${overTheCap}`, { reason: overTheCap })
  }
}

/** The billable requests of one provider in one ask. */
export interface Meter {
  /** Whether another request fits the call's cost limit. */
  fits(): boolean
  /** Call it before a request is sent. */
  count(): void
  /** Call it if the result shows that the request is not billed. */
  giveBack(): void
  readonly requests: number
}

/**
 * The cost of one call over all providers and retries. A request counts before it is sent, because an interrupted one
 * may be billed too. Kept in whole millionths, like prices.
 */
export class CallCost {
  readonly #cap: number
  #spent = 0

  /** `cap` is in the currency of the prices; null = no limit. */
  constructor(cap: number | null) {
    this.#cap = cap === null ? Infinity : Math.round(cap * perUnit)
  }

  /** A meter for one provider; without a price it costs nothing. */
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

/** Whether one more call may be made. */
export type Spending = 'ok' | 'spent' | 'paused'

/** The operator's limits, checked once per ask before the provider is called. */
export interface Budget {
  spend(provider: string, at: number): Promise<Spending>
  /** The result that `spend` would return, without counting. */
  peek(provider: string, at: number): Promise<Spending>
}

/** The fault for a call that the operator's limits refuse; null if the call is allowed. */
export function refusalOf(provider: string, spending: Spending): ProviderFault | null {
  if (spending === 'ok') return null
  const why = spending === 'paused' ? 'is paused' : 'has no calls left this month'
  return new ProviderFault('unavailable', `${provider} ${why}`, { retryAfterSeconds: 60 })
}
