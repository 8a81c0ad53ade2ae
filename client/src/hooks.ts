import type { VitaeError } from './vitae-error.ts'

/** One attempt of a call. `attempt` counts from 1; the Idempotency-Key is the same for all attempts of one call. */
export type RequestEvent = { attempt: number; url: string; idempotencyKey: string }

export type ResponseEvent = RequestEvent & { status: number; requestId: string | null; durationMs: number }

/** `attempt` failed with `error`; the next one starts after `delayMs`. */
export type RetryEvent = RequestEvent & { error: VitaeError; delayMs: number }

/** For logs and metrics. No event holds the API key; what a hook returns is not waited for. */
export type Hooks = {
  onRequest?: (event: RequestEvent) => unknown
  onResponse?: (event: ResponseEvent) => unknown
  onRetry?: (event: RetryEvent) => unknown
}

/** Notifies a hook. A hook that throws must not cost the caller an answer that is already paid, so its error is dropped. */
export function notify<Event>(hook: ((event: Event) => unknown) | undefined, event: Event): void {
  try {
    const outcome = hook?.(event)
    if (outcome instanceof Promise) outcome.catch(() => {})
  } catch {}
}
