import { adminFailures, failures, type AdminFailureCode, type FailureCode } from '@vitae/contract'

const table = { ...failures, ...adminFailures }
export type AnyFailureCode = FailureCode | AdminFailureCode

/** A parameter and the rule that it broke, without the value, which may name a person. */
export interface BrokenRule {
  parameter: string
  rule: string
}

/** The limit that refused a payment, in its state at that time. */
export interface LimitMet {
  limit: 'month' | 'day' | 'credits' | 'budget'
  /** The total; null for the credits of an environment, which have no total. */
  of: number | null
  /** The remainder. The call could have cost `asked`. */
  left: number
  asked: number
  /** When it renews; null = with the next grant. */
  renewsAt: number | null
}

export interface FailureDetails {
  detail?: string
  /** The command that helps, apart from `detail`: the console has buttons for it. */
  hint?: string
  /** For 400: the wrong parameters and why. */
  errors?: { parameter: string; detail: string }[]
  /** The same without anything that the caller sent, for the receipt. */
  broken?: BrokenRule[]
  /** For 402: the limit that was reached. */
  limit?: LimitMet
  retryAfterSeconds?: number
  cause?: unknown
}

/** An expected failure of a call. Any other error is a bug and becomes `internal_error`. */
export class Failure extends Error {
  readonly code: AnyFailureCode
  readonly details: FailureDetails

  constructor(code: AnyFailureCode, details: FailureDetails = {}) {
    super(details.detail ?? table[code].title, { cause: details.cause })
    this.name = 'Failure'
    this.code = code
    this.details = details
  }

  /** The row of the failure table: status, body format, title. */
  get row(): { status: number; body: 'text' | 'problem'; title: string } {
    return table[this.code]
  }
}

const listedAtMost = 20
const nameAtMost = 100

/** One problem of a request. */
interface Complaint {
  parameter: string
  detail: string
}

/**
 * All problems of a request. All are counted, but only the first 20 are kept and listed: a list that grows with the
 * input would cost more than the input.
 */
export class Complaints {
  readonly listed: Complaint[] = []
  readonly #broken: BrokenRule[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  /** The number of problems that are not listed. */
  get more(): number {
    return this.#count - this.listed.length
  }

  /** Adds a problem. `rule` states it without anything that the caller sent; the default is `detail`. */
  add(parameter: string, detail: string, rule = detail): null {
    this.#count++
    if (this.listed.length >= listedAtMost) return null
    const name = parameter.slice(0, nameAtMost)
    this.listed.push({ parameter: name, detail })
    this.#broken.push({ parameter: name, rule })
    return null
  }

  /** Throws the 400 that lists them, if there are any. `lead` is the sentence before the list. */
  throwAny(lead = ''): void {
    if (this.#count > 0) throw this.failure(lead)
  }

  /** The 400 that lists them and the number of further ones. */
  failure(lead = ''): Failure {
    const sentences = this.listed.map(({ parameter, detail }) =>
      detail === `must have ${parameter}` ? `${parameter} is missing` : `${parameter} ${detail}`.trim(),
    )
    const rest = this.more > 0 ? [`and ${this.more} more`] : []
    const said = [...sentences, ...rest].join('; ') || 'The request is not valid'
    const detail = `${lead}${said}${said.endsWith('.') ? '' : '.'}`
    return new Failure('invalid_request', { detail, errors: this.listed, broken: this.#broken })
  }
}

const plainFailures = new Map<AnyFailureCode, Failure>()

/** A failure without details, created once: in a flood of refusals, creating errors would be the largest cost. */
export function plainFailure(code: AnyFailureCode): Failure {
  const known = plainFailures.get(code)
  if (known) return known
  const made = new Failure(code)
  plainFailures.set(code, made)
  return made
}

/* Reasons for refusing a key, each code once, grouped by what must change before it is accepted. */

/** The key has ended for good. */
export const endedKey = ['revoked_api_key', 'expired_api_key'] as const

/** The project is suspended or may not spend. */
export const closedProject = ['project_suspended', 'billing_blocked'] as const

/** The key lacks a right. */
export const lackedRight = ['address_not_allowed', 'endpoint_not_allowed', 'part_not_allowed'] as const

/** The credits of the key or of its environment do not suffice. */
export const outOfMoney = ['credit_ceiling_reached', 'out_of_credits'] as const

/** All refusals that do not depend on credits. */
export const keyRefusals = [...endedKey, ...closedProject, ...lackedRight] as const
export type KeyRefusal = (typeof keyRefusals)[number]

/** A failure in the form in which it crosses threads and processes. Of its cause only the message is kept. */
export interface SentFailure {
  code: Failure['code']
  details: Omit<FailureDetails, 'cause'>
  cause: string | null
}

/** Converts a failure for sending. */
export function sentFailure({ code, details: { cause, ...details } }: Failure): SentFailure {
  return { code, details, cause: cause instanceof Error ? cause.message : null }
}

/** Restores a sent failure. */
export function failureIn({ code, details, cause }: SentFailure): Failure {
  return new Failure(code, cause === null ? details : { ...details, cause: new Error(cause) })
}

/** A 400 about one parameter that a schema cannot check. */
export function invalidParameter(parameter: string, detail: string): Failure {
  const complaints = new Complaints()
  complaints.add(parameter, detail)
  return complaints.failure()
}
