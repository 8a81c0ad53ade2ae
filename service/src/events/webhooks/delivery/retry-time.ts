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

interface Waiting {
  attempts: number
  next_attempt_at: number
}

/**
 * When an endpoint is sent its next event, or the given retried one; null while the endpoint is paused. An event waits
 * for its own pause and for that of its endpoint. The sender and the operators' page both use this function.
 */
export function nextAttemptAt(endpoint: Waiting & { state: string }, retry?: Waiting): number | null {
  return endpoint.state === 'active' ? Math.max(endpoint.next_attempt_at, retry?.next_attempt_at ?? 0) : null
}

/** Whether the next attempt is due. A time further ahead than its pause was written by a wrong clock. */
export function isDue(endpoint: Waiting & { state: string }, now: number, retry?: Waiting): boolean {
  const next = nextAttemptAt(endpoint, retry)
  return next !== null && (next <= now || next > now + pauseAfter(Math.max(endpoint.attempts, retry?.attempts ?? 0)))
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
