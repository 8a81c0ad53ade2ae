import type { ProviderFault } from '../chain/provider-fault.ts'

/**
 * Runs a call with a signal that is aborted by `outer` or by the limit, and ends with it at once even where the call
 * itself cannot be interrupted (a place in a queue, a pause before a retry). The signal's reason is what is thrown.
 */
export async function withinTime<T>(
  limitMs: number,
  outer: AbortSignal,
  fault: () => ProviderFault,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted()
  const inner = new AbortController()
  const passOn = () => inner.abort(outer.reason)
  outer.addEventListener('abort', passOn, { once: true })
  const timer = setTimeout(() => inner.abort(fault()), limitMs)
  try {
    return await Promise.race([call(inner.signal), abortionOf(inner.signal)])
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', passOn)
  }
}

function abortionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own, passed on as it is
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
