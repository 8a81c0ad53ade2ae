import { Random } from './random.ts'

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
  /** How many nodes share the store, and how far the clock of each is ahead of the world's. */
  skews: readonly number[]
  /** Whether nodes have a Redis; without one they meet in the store alone. */
  redis: boolean
}

/** How far a clock of a node is ahead of the world's, or behind it. */
const mostSkewMs = 1_000

/** How far the clocks of two nodes differ at most. */
export function slackOf({ skews }: Pick<Terms, 'skews'>): number {
  return skews.length === 1 ? 0 : 2 * mostSkewMs
}

/**
 * Every third seed has prices that differ, so that what is held is not what is paid; in every fourth, repeats are free. Every third
 * has a cap on what a call costs, and in every second one environment may not be answered by all providers. Three of
 * five have so many credits that calls end in records rather than refusals, and half of all have webhooks. Four of ten have two or
 * three nodes.
 */
export function termsOf(seed: number): Terms {
  const plain = { people: 1, stale: 1, thin: 1, bypass: 1 }
  const prices = seed % 3 === 0 ? { people: 2, stale: 1, thin: 1, bypass: 3 } : plain
  const cap = seed % 3 === 1 ? 1 + (seed % 2) : null
  const times = seed % 5 < 3 ? 12 : 1
  const route = seed % 2 === 1 ? ['reserve'] : null
  const random = new Random(seed, -2)
  const nodes = [1, 1, 1, 1, 1, 1, 2, 2, 3, 3][random.below(10)] ?? 1
  const skews = Array.from({ length: nodes }, () => (nodes === 1 ? 0 : random.pick([-mostSkewMs, 0, mostSkewMs])))
  const redis = random.chance(0.8)
  const money = { prices, repeatFreeDays: seed % 4 === 0 ? 2 : 0, cap, times }
  return { ...money, route, webhooks: seed % 4 > 1, skews, redis }
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
