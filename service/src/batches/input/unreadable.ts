import { Failure } from '../../foundation/failure.ts'

/** A body that cannot be read as what it says it is. Nothing of it is repeated. */
export function unreadable(detail: string): Failure {
  return new Failure('invalid_request', {
    detail: `The body ${detail}.`,
    errors: [{ parameter: 'body', detail }],
  })
}
