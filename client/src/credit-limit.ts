import type { Credits } from './answers/answer.ts'
import { type Account, failures } from './contract.generated.ts'
import { VitaeMaxCreditsError } from './answers/failure-families.ts'
import { VitaeError } from './answers/vitae-error.ts'

type Endpoint = keyof Account['prices']['highest']

/** Prices may change when the service restarts during the life of a client. */
const pricesGoodForMs = 60_000

/**
 * Keeps a client within `maxCredits`. It reserves the highest price of a call before the call, so parallel calls cannot
 * exceed the limit together. A call with an unknown outcome counts as billed.
 */
export class CreditLimit {
  readonly #max: number
  readonly #account: () => Promise<Account>
  #taken = 0
  #known: { account: Promise<Account>; at: number } | null = null

  constructor(max: number, account: () => Promise<Account>) {
    if (!Number.isInteger(max) || max < 0) throw new TypeError('maxCredits must be a whole number from 0')
    this.#max = max
    this.#account = account
  }

  /** The credits that calls may still take, without the reservations of calls in progress. */
  get left(): number {
    return Math.max(0, this.#max - this.#taken)
  }

  /** Makes a call, or refuses it before sending anything. */
  async spend<Result extends { credits: Credits }>(
    endpoint: Endpoint,
    idempotencyKey: string,
    call: () => Promise<Result>,
  ): Promise<Result> {
    const price = await this.#highestPrice(endpoint)
    const left = this.#max - this.#taken
    if (price > left) {
      const detail = `the call may cost ${price}, and ${left} of maxCredits ${this.#max} are left`
      throw new VitaeMaxCreditsError({ code: 'max_credits_reached', detail, retryable: false, idempotencyKey })
    }
    this.#taken += price
    try {
      const result = await call()
      this.#taken += (result.credits.charged ?? 0) - price
      return result
    } catch (error) {
      if (error instanceof VitaeError && error.status !== null && error.code in failures) this.#taken -= price
      throw error
    }
  }

  async #highestPrice(endpoint: Endpoint): Promise<number> {
    const now = performance.now()
    if (!this.#known || now - this.#known.at > pricesGoodForMs) this.#known = { account: this.#account(), at: now }
    try {
      const { prices } = await this.#known.account
      return prices.highest[endpoint]
    } catch (error) {
      this.#known = null
      throw error
    }
  }
}
