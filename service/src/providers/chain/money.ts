const perUnit = 1_000_000n

/** A price such as `12.5` times a number of calls, without binary rounding errors; six decimals. */
export function priceOf(perCall: number, calls: number): number {
  const millionths = BigInt(Math.round(perCall * Number(perUnit))) * BigInt(calls)
  return Number(millionths) / Number(perUnit)
}

/** An amount divided by a count, to six decimals; null if the count is 0. */
export function perEach(amount: number | null, count: number): number | null {
  if (amount === null || count === 0) return null
  return Math.round((amount / count) * Number(perUnit)) / Number(perUnit)
}
