/** What an operator may have set about money, in seeds that differ. */
export interface Terms {
  prices: { people: number; stale: number; bypass: number }
  repeatFreeDays: number
}

/** Every third seed has prices that differ, so that what is held is not what is paid; in every fourth, repeats are free. */
export function termsOf(seed: number): Terms {
  const prices = seed % 3 === 0 ? { people: 2, stale: 1, bypass: 3 } : { people: 1, stale: 1, bypass: 1 }
  return { prices, repeatFreeDays: seed % 4 === 0 ? 2 : 0 }
}

export function settingsOf({ prices, repeatFreeDays }: Terms): Record<string, string> {
  return {
    VITAE_PRICE_PEOPLE: String(prices.people),
    VITAE_PRICE_STALE: String(prices.stale),
    VITAE_PRICE_BYPASS: String(prices.bypass),
    VITAE_REPEAT_FREE_DAYS: String(repeatFreeDays),
  }
}
