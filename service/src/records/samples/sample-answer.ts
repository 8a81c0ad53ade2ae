import type { Company, DataSource, FailureCode, Person } from '@vitae/contract'
import type { Identifier } from '../../foundation/identifier.ts'
import { sampleCompany } from './sample-company.ts'
import { samplePerson } from './sample-person.ts'

export interface SampleFailure {
  failure: FailureCode
  retryAfterSeconds?: number
}

export interface SampleRecord {
  /** The optional parts of a person are filled; the caller removes those that were not asked for. */
  record: Person | Company
  source: DataSource
  ageSeconds: number
  thin: boolean
}

/** Short waits, so that a test of a caller's retries is quick. */
const failures = new Map<string, SampleFailure>([
  ['sample-not-found', { failure: 'not_found' }],
  ['sample-out-of-credits', { failure: 'out_of_credits' }],
  ['sample-ceiling-reached', { failure: 'credit_ceiling_reached' }],
  ['sample-forbidden', { failure: 'project_suspended' }],
  ['sample-rate-limited', { failure: 'rate_limit_exceeded', retryAfterSeconds: 1 }],
  ['sample-upstream-down', { failure: 'upstream_unavailable', retryAfterSeconds: 1 }],
])

const day = 86_400
const provenances = new Map<string, { source: DataSource; ageSeconds: number }>([
  ['sample-stored', { source: 'store', ageSeconds: 3 * day }],
  ['sample-stale', { source: 'stale_fallback', ageSeconds: 9 * day }],
])

/** What a test key gets for an identifier: the situation of a reserved one, otherwise a fictional live record. */
export function sampleAnswer(identifier: Identifier): SampleFailure | SampleRecord {
  const name = identifier.type === 'slug' ? identifier.value : ''
  const failure = failures.get(name)
  if (failure) return failure
  const provenance = provenances.get(name) ?? { source: 'live', ageSeconds: 0 }
  if (identifier.kind === 'people') {
    return { record: samplePerson(identifier), ...provenance, thin: name === 'sample-sparse' }
  }
  const thin = name === 'sample-sparse' || name === 'sample-auto-generated'
  return { record: sampleCompany(identifier), ...provenance, thin }
}
