import type { Credits, RateLimit } from './answer.ts'
import type { FailureCode } from './contract.generated.ts'

/** What the client itself can run into, beside the failures that the service names. */
export type ClientFailureCode =
  | 'connection_failed'
  | 'timed_out'
  | 'aborted'
  | 'unusable_answer'
  | 'max_credits_reached'

/** A code of this contract, or one that a newer service or a proxy in between made up. */
export type ErrorCode = FailureCode | ClientFailureCode | (string & {})

export type ErrorFacts = {
  code: ErrorCode
  detail: string
  retryable: boolean
  idempotencyKey: string
  status?: number
  requestId?: string | null
  errors?: ParameterError[]
  ignoredParameters?: string[]
  retryAfterSeconds?: number | null
  rateLimit?: RateLimit | null
  credits?: Credits | null
  cause?: unknown
}

export type ParameterError = { parameter: string; detail: string }

/** Everything a call can throw. Holds what a log or a receipt needs, and never the API key. */
export class VitaeError extends Error {
  readonly code: ErrorCode
  /** The HTTP status, or null where no answer came. */
  readonly status: number | null
  /** Whether the same call may succeed later. The client has then already retried as often as it may. */
  readonly retryable: boolean
  readonly requestId: string | null
  readonly detail: string
  /** The wrong parameters of a 400, otherwise empty. */
  readonly errors: ParameterError[]
  /** Parameters that the service does not know and ignored. */
  readonly ignoredParameters: string[]
  readonly retryAfterSeconds: number | null
  readonly rateLimit: RateLimit | null
  readonly credits: Credits | null
  /** Give it to a later call for the same record, and that call is not billed a second time. */
  readonly idempotencyKey: string

  constructor(facts: ErrorFacts) {
    super(describe(facts), facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = new.target.name
    this.code = facts.code
    this.status = facts.status ?? null
    this.retryable = facts.retryable
    this.requestId = facts.requestId ?? null
    this.detail = facts.detail
    this.errors = facts.errors ?? []
    this.ignoredParameters = facts.ignoredParameters ?? []
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null
    this.rateLimit = facts.rateLimit ?? null
    this.credits = facts.credits ?? null
    this.idempotencyKey = facts.idempotencyKey
  }
}

function describe({ code, detail, status, requestId }: ErrorFacts): string {
  const where = [status && `status ${status}`, requestId && `request ${requestId}`].filter(Boolean).join(', ')
  return `${code}: ${detail}${where && ` (${where})`}`
}
