import { ProviderFault, retryAfterSeconds, type RawAnswer } from '@vitae/provider'

/** How one attempt ended. */
export type End = { answer: RawAnswer } | { error: unknown }

/** A 429 is waited for only if the wait is short: a caller is better served by a stored copy than by our patience. */
const limitedWaitSeconds = 5

/**
 * How long to wait before the next attempt; null where there is to be none. Tried again are connection errors and 5xx,
 * and a 429 that names a short wait. `Retry-After` is obeyed; a pause that does not fit into the time left is not begun, so
 * the fault itself is what the caller gets. Never after 401, 402, 403 (the account must be mended), a timeout (the time is
 * spent) or an unusable answer. Without a word from the provider the pause doubles, and about half of it is chance.
 */
export function retryPauseMs(end: End, retry: number, backoffMs: number, remainingMs: number): number | null {
  const asked = pauseAskedFor(end)
  if (asked === 'never') return null
  const longestMs = asked === null ? backoffMs * 2 ** (retry - 1) : asked * 1000
  if (longestMs >= remainingMs) return null
  return asked === null ? longestMs * (0.5 + Math.random() / 2) : longestMs
}

/** How many seconds the provider wants us to wait; null where it does not say. */
function pauseAskedFor(end: End): number | null | 'never' {
  if ('error' in end) return end.error instanceof ProviderFault && end.error.kind === 'unavailable' ? null : 'never'
  const { status } = end.answer
  if (status < 500 && status !== 429) return 'never'
  const wait = retryAfterSeconds(end.answer)
  if (status >= 500) return wait
  return wait !== null && wait <= limitedWaitSeconds ? wait : 'never'
}
