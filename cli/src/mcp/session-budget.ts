import { ToolFailure } from '@vitae/service/mcp-api'

/** What one session may spend. A call sets the most that it may cost aside first, so that calls at once never spend more. */
export class SessionBudget {
  readonly #most: number
  #spent = 0
  #reserved = 0

  constructor(most: number) {
    this.#most = most
  }

  get left(): number {
    return Math.max(0, this.#most - this.#spent - this.#reserved)
  }

  /** Runs a call that costs at most `price`. What it cost is what `charged` says; all of it where that is not known. */
  async spend<Result extends { charged: number }>(price: number, call: () => Promise<Result>): Promise<Result> {
    if (price > this.left) throw this.#reached(price)
    this.#reserved += price
    let charged = price
    try {
      const result = await call()
      charged = result.charged
      return result
    } catch (error) {
      // A failure that the service answered with costs nothing; without an answer nobody knows.
      if (error instanceof ToolFailure && error.answered) charged = 0
      throw error
    } finally {
      this.#reserved -= price
      this.#spent += charged
    }
  }

  #reached(price: number): ToolFailure {
    return new ToolFailure(
      'session_limit_reached',
      `This session may spend ${this.#most} credits (--max-credits), ${this.left} are left, and this call may cost ${price}. Nothing was asked for. A new session with another --max-credits may spend again.`,
    )
  }
}
