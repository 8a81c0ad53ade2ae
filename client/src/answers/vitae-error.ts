import type { Credits, RateLimit } from './answer.ts'
import type { FailureCode } from '../contract.generated.ts'

/** Failures of the client itself, besides the failures that the service reports. */
export type ClientFailureCode =
  | 'connection_failed'
  | 'timed_out'
  | 'aborted'
  | 'unusable_answer'
  | 'max_credits_reached'

/** A code of this contract, or an unknown one from a newer service or a proxy. */
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

/**
 * The base class of everything that a call throws. Contains all details for a log or a receipt, and never the API key.
 */
export class VitaeError extends Error {
  readonly code: ErrorCode
  /** The HTTP status, or null without a response. */
  readonly status: number | null
  /** Whether the same call may succeed later. The client has already used its retries. */
  readonly retryable: boolean
  readonly requestId: string | null
  readonly detail: string
  /** The invalid parameters of a 400, otherwise empty. */
  readonly errors: ParameterError[]
  /** Parameters that the service ignored because it does not know them. */
  readonly ignoredParameters: string[]
  readonly retryAfterSeconds: number | null
  readonly rateLimit: RateLimit | null
  readonly credits: Credits | null
  /** Pass it to a later call for the same record, and that call is not billed again. */
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
