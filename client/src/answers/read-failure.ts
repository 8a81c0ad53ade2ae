import {
  type HeaderReader,
  readCredits,
  readIgnoredParameters,
  readRateLimit,
  readRetryAfterSeconds,
} from './answer-headers.ts'
import { type FailureCode, failures } from '../contract.generated.ts'
import { failureErrors } from './failure-errors.generated.ts'
import { familyOf } from './failure-families.ts'
import { parseObject } from './parse-object.ts'
import type { ParameterError, VitaeError } from './vitae-error.ts'

type Received = { status: number; headers: HeaderReader; body: string }
type Context = { idempotencyKey: string; wallClockMs: number; redact: (text: string) => string }

/** The error for a response other than 200: by its code, or by its status if this version does not know the code. */
export function readFailure({ status, headers, body }: Received, context: Context): VitaeError {
  const problem = parseObject(body)
  const code = readCode(problem?.code ?? body.trim()) ?? `http_${status}`
  const known = isKnown(code, status) ? failures[code] : null
  const Class = isKnown(code, status) ? failureErrors[code] : familyOf(status)
  const detail = typeof problem?.detail === 'string' ? problem.detail : (known?.title ?? explain(status))
  return new Class({
    code,
    status,
    detail: context.redact(detail),
    retryable: known?.retryable ?? isRetryable(status),
    requestId: headers.get('x-request-id'),
    ignoredParameters: readIgnoredParameters(headers),
    errors: readParameterErrors(problem?.errors, context.redact),
    retryAfterSeconds: readRetryAfterSeconds(headers, context.wallClockMs),
    rateLimit: readRateLimit(headers),
    credits: readCredits(headers),
    idempotencyKey: context.idempotencyKey,
  })
}

function explain(status: number): string {
  return status >= 300 && status < 400
    ? 'redirects are not followed, because they would forward the key'
    : 'no reason was given'
}

const readCode = (code: unknown) => (typeof code === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : null)

/** A code with a status that differs from the contract's is not the contract's failure. */
function isKnown(code: string, status: number): code is FailureCode {
  return Object.hasOwn(failures, code) && failures[code as FailureCode].status === status
}

const isRetryable = (status: number) => status === 408 || status === 429 || status >= 500

function readParameterErrors(errors: unknown, redact: (text: string) => string): ParameterError[] {
  if (!Array.isArray(errors)) return []
  return errors.flatMap((error: unknown) => {
    const { parameter, detail } = (error ?? {}) as { parameter?: unknown; detail?: unknown }
    if (typeof parameter !== 'string' || typeof detail !== 'string') return []
    return [{ parameter: redact(parameter), detail: redact(detail) }]
  })
}
