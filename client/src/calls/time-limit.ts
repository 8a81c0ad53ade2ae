import { VitaeAbortError, VitaeTimeoutError } from '../answers/failure-families.ts'
import type { VitaeError } from '../answers/vitae-error.ts'

/** The reasons that end a call early: its time limit, or the caller's signal. */
export type TimeLimit = {
  signal: AbortSignal
  /** The result of the work, or the signal's reason on abort, even if the work ignores the signal. */
  race: <Result>(work: Promise<Result>) => Promise<Result>
  /** The cause that a timeout reports. */
  lastFailure: VitaeError | undefined
  close: () => void
}

type Bounds = { timeoutMs: number; signal: AbortSignal | undefined; idempotencyKey: string }

/** Starts the time limit of a call. Close it, or its timer keeps the process alive. */
export function openTimeLimit({ timeoutMs, signal, idempotencyKey }: Bounds): TimeLimit {
  const controller = new AbortController()
  const abort = () => controller.abort(abortError(signal?.reason, idempotencyKey))
  const timer = setTimeout(
    () => controller.abort(timeoutError(timeoutMs, idempotencyKey, limit.lastFailure)),
    timeoutMs,
  )
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), { once: true })
  })
  ended.catch(() => {})
  const limit: TimeLimit = {
    signal: controller.signal,
    race: (work) => Promise.race([work, ended]),
    lastFailure: undefined,
    close: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  return limit
}

function abortError(cause: unknown, idempotencyKey: string): VitaeAbortError {
  return new VitaeAbortError({
    code: 'aborted',
    detail: 'the caller aborted the call',
    retryable: false,
    idempotencyKey,
    cause,
  })
}

function timeoutError(timeoutMs: number, idempotencyKey: string, cause: VitaeError | undefined): VitaeTimeoutError {
  const detail = `no answer within ${timeoutMs} ms`
  return new VitaeTimeoutError({ code: 'timed_out', detail, retryable: true, idempotencyKey, cause })
}
