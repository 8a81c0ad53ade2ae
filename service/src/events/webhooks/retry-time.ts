const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The pauses between attempts; the last one is repeated until three days have passed. */
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour]
const givenUpAfter = 72 * hour

/** The pause after so many failed attempts. */
function pauseAfter(attempts: number): number {
  return pauses[Math.min(attempts, pauses.length) - 1] ?? 0
}

/** Whether it is time for the next attempt. A time further ahead than its pause was written by a clock that was wrong. */
export function isDue({ attempts, next_attempt_at: next }: { attempts: number; next_attempt_at: number }, now: number) {
  return next <= now || next > now + pauseAfter(attempts)
}

/** When the next attempt is due after so many failures, the last of them at `at`; null = it is given up. */
export function retryTime(attempts: number, failingSince: number, at: number): number | null {
  const end = Math.min(failingSince, at) + givenUpAfter
  if (at >= end) return null
  return Math.min(at + pauseAfter(attempts), end)
}
