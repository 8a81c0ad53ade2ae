type Failed = { retryable: boolean; retryAfterSeconds: number | null }
type Bounds = { attempt: number; maxRetries: number; leftMs: number; random: () => number }

const firstWaitMs = 500
const longestWaitMs = 8_000

/**
 * The wait before the next attempt, or null if there must be none. The wait is never shorter than `Retry-After`, plus a
 * little jitter so that callers do not return all at once. A wait that would outlast the call is skipped: the caller
 * gets the failure now instead of a timeout later.
 */
export function retryDelay(error: Failed, { attempt, maxRetries, leftMs, random }: Bounds): number | null {
  if (!error.retryable || attempt > maxRetries) return null
  const askedMs = error.retryAfterSeconds === null ? null : error.retryAfterSeconds * 1000
  const delayMs =
    askedMs === null
      ? random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1))
      : askedMs + random() * Math.min(1_000, askedMs / 10 + 50)
  return delayMs < leftMs ? Math.round(delayMs) : null
}
