import type { Bench } from '../bench.ts'
import type { Findings, Ratio, Verdict } from '../report/result.ts'
import type { Spread } from '../report/spread.ts'

export interface Scenario {
  name: string
  title: string
  run(bench: Bench): Promise<Findings>
}

/** Judges whether the median of a ratio reaches a lower limit. */
export function atLeast(claim: string, limit: number, ratios: readonly Ratio[]): Verdict[] {
  return judge(claim, `at least ${limit} x`, ratios, (value) => value >= limit)
}

/** Judges whether the median of a ratio stays within an upper limit. */
export function atMost(claim: string, limit: number, ratios: readonly Ratio[]): Verdict[] {
  return judge(claim, `at most ${limit} x`, ratios, (value) => value <= limit)
}

/** Judges whether a median of microseconds stays within an upper limit. */
export function atMostMicroseconds(claim: string, limit: number, measured: Spread | null): Verdict[] {
  if (measured === null) return []
  const got = `${measured.median.toFixed(0)} µs`
  return [{ claim, wanted: `at most ${limit} µs`, got, met: measured.median <= limit }]
}

function judge(claim: string, wanted: string, ratios: readonly Ratio[], holds: (value: number) => boolean): Verdict[] {
  return ratios.map(({ value }) => ({ claim, wanted, got: `${value.median.toFixed(2)} x`, met: holds(value.median) }))
}
