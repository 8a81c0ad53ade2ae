import { adminFailures, failures, type AdminFailureCode, type FailureCode } from '@vitae/contract'

const table = { ...failures, ...adminFailures }
export type AnyFailureCode = FailureCode | AdminFailureCode

/** A parameter of a query and the rule that it broke. It never has the value, which may name a person. */
export interface BrokenRule {
  parameter: string
  rule: string
}

/** The limit that a payment met, as it stood then. */
export interface LimitMet {
  limit: 'month' | 'day' | 'credits' | 'budget'
  /** Of how much; null for the credits of an environment, which have no end of their own. */
  of: number | null
  /** What was left of it, of which the call could have cost `asked`. */
  left: number
  asked: number
  /** When it begins again by itself; null = with the next grant. */
  renewsAt: number | null
}

export interface FailureDetails {
  detail?: string
  /** For 400: which parameters are wrong, and why. */
  errors?: { parameter: string; detail: string }[]
  /** The same without anything that the caller sent, for the receipt. */
  broken?: BrokenRule[]
  /** For 402: the limit that was met. */
  limit?: LimitMet
  retryAfterSeconds?: number
  cause?: unknown
}

/** An expected end of a call. Everything else that is thrown is a bug and becomes `internal_error`. */
export class Failure extends Error {
  readonly code: AnyFailureCode
  readonly details: FailureDetails

  constructor(code: AnyFailureCode, details: FailureDetails = {}) {
    super(details.detail ?? table[code].title, { cause: details.cause })
    this.name = 'Failure'
    this.code = code
    this.details = details
  }

  /** The row of the failure table: status, form of the body, title. */
  get row(): { status: number; body: 'text' | 'problem'; title: string } {
    return table[this.code]
  }
}

const plainFailures = new Map<AnyFailureCode, Failure>()

/** The failure that says no more than its code, made once: in a flood of refusals, new errors would cost the most. */
export function plainFailure(code: AnyFailureCode): Failure {
  const known = plainFailures.get(code)
  if (known) return known
  const made = new Failure(code)
  plainFailures.set(code, made)
  return made
}

/* Why a key is refused, each code once, by what has to change before it is accepted. */

/** The key has ended: nothing changes that. */
export const endedKey = ['revoked_api_key', 'expired_api_key'] as const

/** The project is closed, or may not spend. */
export const closedProject = ['project_suspended', 'billing_blocked'] as const

/** The key lacks a right. */
export const lackedRight = ['address_not_allowed', 'endpoint_not_allowed', 'part_not_allowed'] as const

/** The money of the key or of its environment does not suffice. */
export const outOfMoney = ['credit_ceiling_reached', 'out_of_credits'] as const

/** Every refusal that does not depend on money. */
export const keyRefusals = [...endedKey, ...closedProject, ...lackedRight] as const
export type KeyRefusal = (typeof keyRefusals)[number]

/** A failure on its way to another thread or process. Of its cause only the words arrive. */
export interface SentFailure {
  code: Failure['code']
  details: Omit<FailureDetails, 'cause'>
  cause: string | null
}

/** The form in which a failure is sent. */
export function sentFailure({ code, details: { cause, ...details } }: Failure): SentFailure {
  return { code, details, cause: cause instanceof Error ? cause.message : null }
}

/** The failure that was sent. */
export function failureIn({ code, details, cause }: SentFailure): Failure {
  return new Failure(code, cause === null ? details : { ...details, cause: new Error(cause) })
}
