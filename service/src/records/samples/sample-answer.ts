import type { Company, FailureCode, Person } from '@vitae/contract'
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
  thin: boolean
  /** How old the stored copy is, if there is one. */
  copyAgeMs: number | null
  /** Whether a fetch would succeed. */
  isProviderUp: boolean
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

const dayMs = 86_400_000
const unstored = { copyAgeMs: null, isProviderUp: true }
const stored = new Map([
  ['sample-stored', { copyAgeMs: 3 * dayMs, isProviderUp: true }],
  ['sample-stale', { copyAgeMs: 9 * dayMs, isProviderUp: false }],
])

/** What a test key gets for an identifier: the situation of a reserved one, otherwise a fictional record. */
export function sampleAnswer(identifier: Identifier, isShowcase = false): SampleFailure | SampleRecord {
  const name = identifier.type === 'slug' ? identifier.value : ''
  const failure = failures.get(name)
  if (failure) return failure
  const known = stored.get(name) ?? unstored
  if (identifier.kind === 'people') {
    return { record: samplePerson(identifier), ...known, thin: name === 'sample-sparse' }
  }
  const thin = name === 'sample-sparse' || name === 'sample-auto-generated'
  return { record: sampleCompany(identifier, isShowcase), ...known, thin }
}
