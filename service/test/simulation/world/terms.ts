import { kinds } from '@vitae/contract'
import type { PriceLine } from '../../../src/credits/prices/price-book.ts'
import { Random } from './random.ts'

/** The price that books add for requested contact details that are present. */
export const contactPrice = 4

/** Operator settings about money, which differ between seeds. */
export interface Terms {
  prices: { people: number; stale: number; thin: number; bypass: number }
  repeatFreeDays: number
  /** The maximum cost of all providers of one call, if each request costs 1. */
  cap: number | null
  /** A factor for the initial credits, ceilings and budgets. */
  times: number
  /** The providers that may answer south/production. */
  route: string[] | null
  /** Whether an environment has webhooks. */
  webhooks: boolean
  /** How far each node's clock is ahead of the world's; one entry per node. */
  skews: readonly number[]
  /** How far the clock of each node's machine is ahead. A node goes by the database's clock, so this changes nothing. */
  machineAheadMs: readonly number[]
  /** Whether nodes have a Redis. Without one they share only the store. */
  redis: boolean
}

/** The maximum error of a node's clock in either direction. */
const mostSkewMs = 1_000

const [secondMs, minuteMs, dayMs] = [1_000, 60_000, 86_400_000]
// A node that is off by more than a hold lasts only refuses calls, so that is the smaller part.
const machineSkewsMs = [0, 2 * secondMs, 2 * secondMs, 10 * secondMs, 10 * secondMs, 2 * minuteMs, dayMs]

/** The maximum difference between two nodes' clocks. */
export function slackOf({ skews }: Pick<Terms, 'skews'>): number {
  return skews.length === 1 ? 0 : 2 * mostSkewMs
}

/**
 * Every third seed has different prices per case, so that held and paid amounts differ. In every fourth, repeats are
 * free. Every third has a cost cap per call, and in every second one environment is restricted to some providers. Three
 * of five have enough credits for most calls to return records, and half have webhooks. Four of ten have two or three
 * nodes, whose machines' clocks may be wrong.
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
  // The first node keeps the right clock. One that is off by more than a hold lasts takes no paid calls.
  const machineAheadMs = skews.map((_, node) => (node === 0 ? 0 : random.pick(machineSkewsMs) * random.pick([-1, 1])))
  const money = { prices, repeatFreeDays: seed % 4 === 0 ? 2 : 0, cap, times }
  return { ...money, route, webhooks: seed % 4 > 1, skews, machineAheadMs, redis }
}

export function settingsOf({ prices, repeatFreeDays, cap }: Terms): Record<string, string> {
  return {
    VITAE_PRICE_PEOPLE: String(prices.people),
    VITAE_REPEAT_FREE_DAYS: String(repeatFreeDays),
    ...(cap === null ? {} : { VITAE_MAX_COST_PER_CALL: String(cap) }),
  }
}

/** The special prices as lines of book 0. */
export function priceLinesOf({ prices: { stale, thin, bypass } }: Terms): PriceLine[] {
  return kinds.flatMap((kind): PriceLine[] => [
    { kind, source: 'stale_fallback', credits: stale },
    { kind, thin: true, credits: thin },
    { kind, bypass: true, credits: bypass },
  ])
}
