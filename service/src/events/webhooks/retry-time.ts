const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The longest pause between two attempts. */
export const longestPauseMs = 8 * hour

/** The pauses between attempts; the last one repeats until three days have passed. */
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, longestPauseMs]
const givenUpAfter = 72 * hour

/** Statuses below 500 that depend on the moment and not on the event; 410 is about the endpoint. */
const passing: readonly number[] = [408, 410, 425, 429]

/** Whether a working receiver refused this event and may accept others. */
export function isRefusal(status: number | null): boolean {
  return status !== null && status < 500 && !passing.includes(status)
}

/** The pause after this many failed attempts. */
export function pauseAfter(attempts: number): number {
  return pauses[Math.min(attempts, pauses.length) - 1] ?? 0
}

/** Whether the next attempt is due. A time further ahead than its pause was written by a wrong clock. */
export function isDue({ attempts, next_attempt_at: next }: { attempts: number; next_attempt_at: number }, now: number) {
  return next <= now || next > now + pauseAfter(attempts)
}

/**
 * When the next attempt is due after this many failures, the last at `at`; null = give up. Three days with hardly any
 * attempts, because the service was stopped or had no events, are no reason to give up.
 */
export function retryTime(attempts: number, failingSince: number, at: number): number | null {
  const next = at + pauseAfter(attempts)
  const end = Math.min(failingSince, at) + givenUpAfter
  if (at < end) return Math.min(next, end)
  return attempts < pauses.length ? next : null
}
