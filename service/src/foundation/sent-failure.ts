import { Failure, type FailureDetails } from './failure.ts'

/** A failure on its way to another thread or process. Of its cause only the words arrive. */
export interface SentFailure {
  code: Failure['code']
  details: Omit<FailureDetails, 'cause'>
  cause: string | null
}

export function sentFailure({ code, details: { cause, ...details } }: Failure): SentFailure {
  return { code, details, cause: cause instanceof Error ? cause.message : null }
}

export function failureIn({ code, details, cause }: SentFailure): Failure {
  return new Failure(code, cause === null ? details : { ...details, cause: new Error(cause) })
}
