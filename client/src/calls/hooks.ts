import type { VitaeError } from '../answers/vitae-error.ts'

/** One attempt of a call. `attempt` counts from 1. All attempts of a call share the Idempotency-Key. */
export type RequestEvent = { attempt: number; url: string; idempotencyKey: string }

export type ResponseEvent = RequestEvent & { status: number; requestId: string | null; durationMs: number }

/** `attempt` failed with `error`; the next attempt starts after `delayMs`. */
export type RetryEvent = RequestEvent & { error: VitaeError; delayMs: number }

/** For logs and metrics. Events never contain the API key, and the client does not await a hook's result. */
export type Hooks = {
  onRequest?: (event: RequestEvent) => unknown
  onResponse?: (event: ResponseEvent) => unknown
  onRetry?: (event: RetryEvent) => unknown
}

/** Notifies a hook. Its error is dropped, because the caller must still get an answer that is already paid for. */
export function notify<Event>(hook: ((event: Event) => unknown) | undefined, event: Event): void {
  try {
    const outcome = hook?.(event)
    if (outcome instanceof Promise) outcome.catch(() => {})
  } catch {}
}
