import { DelegateBackoff, handleWhen, retry, type RetryPolicy } from 'cockatiel'
import { UpstreamFault } from './fault.ts'
import type { RawAnswer } from './provider.ts'
import { retryAfterSeconds } from './retry-after.ts'

export interface RetrySettings {
  retries: number
  /** The longest pause before the first retry; it doubles, and about half of it is chance. */
  backoffMs: number
  /** What is left of the time for the whole call. */
  remainingMs: () => number
}

/** A 429 is waited for only if the wait is short: a caller is better served by a stored copy than by our patience. */
const limitedWaitSeconds = 5

/**
 * Tries again after connection errors and 5xx, and after a 429 that names a short wait. `Retry-After` is obeyed; a
 * pause that does not fit into the time left is not begun, so the fault itself is what the caller gets.
 * Never after 401, 402, 403 (the account must be mended), a timeout (the time is spent) or an unusable answer.
 */
export function retryPolicy({ retries, backoffMs, remainingMs }: RetrySettings): RetryPolicy {
  const longestPauseMs = (attempt: number) => backoffMs * 2 ** (attempt - 1)
  const jitterMs = (attempt: number) => longestPauseMs(attempt) * (0.5 + Math.random() / 2)
  const fits = (waitMs: number) => waitMs < remainingMs()
  const handled = handleWhen((error) => isConnectionFault(error) && fits(longestPauseMs(retries))).orWhenResult(
    (result) => {
      const wait = pauseSecondsFor(asAnswer(result))
      return wait !== 'never' && fits(wait === null ? longestPauseMs(retries) : wait * 1000)
    },
  )
  const backoff = new DelegateBackoff(
    ({ attempt, result }: { attempt: number; result: { error: unknown } | { value: unknown } }) => {
      const wait = 'value' in result ? pauseSecondsFor(asAnswer(result.value)) : null
      return typeof wait === 'number' ? wait * 1000 : jitterMs(attempt)
    },
  )
  return retry(handled, { maxAttempts: retries, backoff })
}

function isConnectionFault(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'unavailable'
}

/** How long the provider wants us to wait; null where it does not say. */
function pauseSecondsFor(answer: RawAnswer): number | null | 'never' {
  const wait = retryAfterSeconds(answer)
  if (answer.status >= 500) return wait
  return answer.status === 429 && wait !== null && wait <= limitedWaitSeconds ? wait : 'never'
}

function asAnswer(result: unknown): RawAnswer {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the policy runs nothing but exchanges
  return result as RawAnswer
}
