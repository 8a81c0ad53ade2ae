/** The median of several rounds, and their range. */
export interface Spread {
  median: number
  min: number
  max: number
}

/** The median, lowest and highest of a list of measurements. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? NaN
  const lower = sorted[Math.ceil(middle) - 1] ?? NaN
  return { median: (lower + upper) / 2, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN }
}

/** The quantile of sorted measurements. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}
