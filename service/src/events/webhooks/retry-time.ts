const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The pauses between attempts; the last one is repeated until three days have passed. */
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour]
const givenUpAfter = 72 * hour

/** When the next attempt is due after so many in vain, the last of them at `at`; null = it is given up. */
export function retryTime(attempts: number, failingSince: number, at: number): number | null {
  const end = failingSince + givenUpAfter
  if (at >= end) return null
  const pause = pauses[Math.min(attempts, pauses.length) - 1] ?? 5 * second
  return Math.min(at + pause, end)
}
