/** What books add where contact details were asked for and are there. */
export const contactPrice = 4

/** What an operator may have set about money, in seeds that differ. */
export interface Terms {
  prices: { people: number; stale: number; thin: number; bypass: number }
  repeatFreeDays: number
  /** What the providers of one call may cost together, where each request costs 1. */
  cap: number | null
  /** How many times more credits, ceilings and budgets there are at the start than in other seeds. */
  times: number
  /** The providers that south/production may be answered by. */
  route: string[] | null
  /** Whether an environment has webhooks. */
  webhooks: boolean
}

/**
 * Every third seed has prices that differ, so that what is held is not what is paid; in every fourth, repeats are free. Every third
 * has a cap on what a call costs, and in every second one environment may not be answered by all providers. Three of
 * five have so many credits that calls end in records rather than refusals, and half of all have webhooks.
 */
export function termsOf(seed: number): Terms {
  const plain = { people: 1, stale: 1, thin: 1, bypass: 1 }
  const prices = seed % 3 === 0 ? { people: 2, stale: 1, thin: 1, bypass: 3 } : plain
  const cap = seed % 3 === 1 ? 1 + (seed % 2) : null
  const times = seed % 5 < 3 ? 12 : 1
  const route = seed % 2 === 1 ? ['reserve'] : null
  return { prices, repeatFreeDays: seed % 4 === 0 ? 2 : 0, cap, times, route, webhooks: seed % 4 > 1 }
}

export function settingsOf({ prices, repeatFreeDays, cap }: Terms): Record<string, string> {
  return {
    VITAE_PRICE_PEOPLE: String(prices.people),
    VITAE_PRICE_STALE: String(prices.stale),
    VITAE_PRICE_THIN: String(prices.thin),
    VITAE_PRICE_BYPASS: String(prices.bypass),
    VITAE_REPEAT_FREE_DAYS: String(repeatFreeDays),
    ...(cap === null ? {} : { VITAE_MAX_COST_PER_CALL: String(cap) }),
  }
}
