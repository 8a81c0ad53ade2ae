import type { Problem } from '@vitae/contract'
import { Failure } from '../foundation/failure.ts'
import type { Log } from '../foundation/log.ts'

/** A response before it is written: the same for every door. */
export interface PlainAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** The one place where a failure becomes a response. Text bodies are exactly the code; all others are RFC 9457 problems. */
export function failureAnswer(failure: Failure, requestId: string): PlainAnswer {
  const { status, body, title } = failure.row
  const headers: Record<string, string> = {}
  if (failure.details.retryAfterSeconds !== undefined)
    headers['Retry-After'] = String(failure.details.retryAfterSeconds)
  if (body === 'text')
    return { status, headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' }, body: failure.code }
  const problem: Problem = {
    type: `/docs#${failure.code}`,
    title,
    status,
    detail: failure.details.detail ?? title,
    code: failure.code,
    request_id: requestId,
    ...(failure.details.errors ? { errors: failure.details.errors } : {}),
  }
  return { status, headers: { ...headers, 'Content-Type': 'application/problem+json' }, body: JSON.stringify(problem) }
}

/** Tells the operator of a failure that is not the caller's doing. */
export function noteFailure(log: Log, { code, details: { cause } }: Failure, requestId: string): void {
  if (code === 'internal_error') log.error({ err: cause, requestId }, 'a call failed unexpectedly')
  if (code === 'store_unavailable') log.error({ err: cause, requestId }, 'the store cannot be used')
}

/** Whatever was thrown, as a failure: what we did not expect is `internal_error` and says nothing about itself. */
export function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('internal_error', { cause: error })
}
