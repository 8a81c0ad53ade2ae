import { Failure } from '../../foundation/failure.ts'

/** The failure for a body that does not match its type. It repeats nothing of the body. */
export function unreadable(detail: string): Failure {
  return new Failure('invalid_request', {
    detail: `The body ${detail}.`,
    errors: [{ parameter: 'body', detail }],
  })
}
