const perUnit = 1_000_000n

/** `12.5` units of money times a number of calls, without the errors of binary fractions; six decimals. */
export function priceOf(perCall: number, calls: number): number {
  const millionths = BigInt(Math.round(perCall * Number(perUnit))) * BigInt(calls)
  return Number(millionths) / Number(perUnit)
}

/** An amount shared out among so many, to six decimals; null where there is none to share it. */
export function perEach(amount: number | null, count: number): number | null {
  if (amount === null || count === 0) return null
  return Math.round((amount / count) * Number(perUnit)) / Number(perUnit)
}
