const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The longest pause between two attempts. */
export const longestPauseMs = 8 * hour

/** The pauses between attempts; the last one is repeated until three days have passed. */
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, longestPauseMs]
const givenUpAfter = 72 * hour

/** Answers below 500 that are about the moment and not about the event; 410 is about the endpoint. */
const passing: readonly number[] = [408, 410, 425, 429]

/** Whether a receiver that works has said no to this event, and may take others. */
export function isRefusal(status: number | null): boolean {
  return status !== null && status < 500 && !passing.includes(status)
}

/** The pause after so many failed attempts. */
export function pauseAfter(attempts: number): number {
  return pauses[Math.min(attempts, pauses.length) - 1] ?? 0
}

/** Whether it is time for the next attempt. A time further ahead than its pause was written by a clock that was wrong. */
export function isDue({ attempts, next_attempt_at: next }: { attempts: number; next_attempt_at: number }, now: number) {
  return next <= now || next > now + pauseAfter(attempts)
}

/**
 * When the next attempt is due after so many failures, the last of them at `at`; null = it is given up. Three days in which hardly
 * anything was tried, because the service stood still or there were no events, are no reason to give up.
 */
export function retryTime(attempts: number, failingSince: number, at: number): number | null {
  const next = at + pauseAfter(attempts)
  const end = Math.min(failingSince, at) + givenUpAfter
  if (at < end) return Math.min(next, end)
  return attempts < pauses.length ? next : null
}
