import type { Kind } from '@vitae/contract'
import { Failure } from '../../foundation/failure.ts'

const parameters = { people: 'profile_id', companies: 'company_id' } as const satisfies Record<Kind, string>

/** The 400 for an identifier that cannot be read. It never repeats the caller's text, which may name a person. */
export function invalidIdentifier(kind: Kind, reason: string): Failure {
  const parameter = parameters[kind]
  const detail = `${parameter} ${reason}`
  return new Failure('invalid_request', {
    detail,
    errors: [{ parameter, detail: reason }],
    broken: [{ parameter, rule: reason }],
  })
}
