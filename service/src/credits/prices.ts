import type { DataSource, Kind } from '@vitae/contract'

/** What answers cost. Null = the same as the normal price. */
export interface Prices {
  people: number
  companies: number
  stale: number | null
  thin: number | null
  bypass: number | null
  /** Of a company found by its domain; null = nothing from the store, the price of a company from a provider. */
  resolve: number | null
  /** Of a record found by a match; null = the price of the record. */
  match: number | null
  /** Days in which an environment pays once per record; 0 = every time. */
  repeatFreeDays: number
}

/**
 * What one answer costs. What the caller got goes before how it was asked for: a stale or a thin answer has that price
 * even when the cache was bypassed, and one that is both has the lower of the two.
 */
export function priceOf(
  prices: Prices,
  answer: { kind: Kind; source: DataSource; thin: boolean; bypass: boolean },
): number {
  const normal = prices[answer.kind]
  const stale = answer.source === 'stale_fallback' ? [prices.stale ?? normal] : []
  const thin = answer.thin ? [prices.thin ?? normal] : []
  if (stale.length + thin.length > 0) return Math.min(...stale, ...thin)
  if (answer.bypass) return prices.bypass ?? normal
  return normal
}

/** What a company that a provider finds by its domain costs, however it is found. */
export function resolvePrice({ resolve, companies }: Prices): number {
  return resolve ?? companies
}

/** The prices of calls that a match leads to. */
export function matchPrices(prices: Prices, kind: Kind): Prices {
  if (prices.match === null) return prices
  return { ...prices, [kind]: prices.match, stale: null, thin: null, bypass: null }
}

/** The most that one call of each route can cost, so that no client needs a rule of its own. */
export function highestPrices(prices: Prices): Record<Kind | 'resolve' | 'match', number> {
  const most = (kind: Kind) => Math.max(...[true, false].map((bypass) => highestPrice(prices, { kind, bypass })))
  const [people, companies] = [most('people'), most('companies')]
  return { people, companies, resolve: resolvePrice(prices), match: prices.match ?? Math.max(people, companies) }
}

/** What a fetch must hold, before it is known whether it ends live, thin or stale. A bypassing one is never stale. */
export function highestPrice(prices: Prices, { kind, bypass }: { kind: Kind; bypass: boolean }): number {
  const sources = bypass ? (['live'] as const) : (['live', 'stale_fallback'] as const)
  const ends = sources.flatMap((source) => [false, true].map((thin) => priceOf(prices, { kind, source, thin, bypass })))
  return Math.max(...ends)
}
