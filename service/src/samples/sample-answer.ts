import { type Company, type FailureCode, type Person, emptyContact, emptyPerson } from '@vitae/contract'
import type { CompanyPage, Identifier } from '../foundation/identifier.ts'
import { sampleCompany } from './sample-company.ts'
import type { CareerShape } from './career.ts'
import { chanceOf } from './vocabulary/chance.ts'
import { completePerson } from './complete-person.ts'
import { type PersonCore, personCore } from './person-core.ts'
import { withUsualGaps } from './usual-gaps.ts'
import { dayMs } from '../foundation/clock.ts'

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

const unstored = { copyAgeMs: null, isProviderUp: true }
const stored = new Map([
  ['sample-stored', { copyAgeMs: 3 * dayMs, isProviderUp: true }],
  ['sample-stale', { copyAgeMs: 9 * dayMs, isProviderUp: false }],
])

/** What a test key gets for an identifier: the situation of a reserved one, otherwise a fictional record. */
export function sampleAnswer(identifier: Identifier, page: CompanyPage = 'company'): SampleFailure | SampleRecord {
  const name = identifier.type === 'slug' ? identifier.value : ''
  const failure = failures.get(name)
  if (failure) return failure
  const known = stored.get(name) ?? unstored
  if (identifier.kind === 'people') {
    return { record: samplePerson(identifier), ...known, thin: name === 'sample-sparse' }
  }
  const thin = name === 'sample-sparse' || name === 'sample-auto-generated'
  return { record: sampleCompany(identifier, page), ...known, thin }
}

/** Reserved slugs and what is special about their record. */
const variants = new Map<string, (core: PersonCore) => Person>([
  ['sample-sparse', sparse],
  ['sample-complete', (core) => completePerson(core, { employers: 3, positions: 2, ongoing: true })],
  ['sample-promoted', (core) => ordinary(core, { employers: 1, positions: 4, ongoing: true })],
  ['sample-memorialized', memorialized],
])

/**
 * The fictional person of an identifier, always the same one. The optional parts are filled as if all were asked for;
 * the caller removes those that were not.
 */
export function samplePerson(identifier: Identifier): Person {
  const core = personCore(identifier)
  const variant = identifier.type === 'slug' ? variants.get(identifier.value) : undefined
  return variant ? variant(core) : ordinary(core, someCareer(core))
}

function someCareer(core: PersonCore): CareerShape {
  const chance = chanceOf(`career of ${core.memberUrn}`)
  return { employers: chance.whole(2, 4), positions: chance.whole(1, 3), ongoing: chance.odds(88) }
}

function ordinary(core: PersonCore, shape: CareerShape): Person {
  return withUsualGaps(completePerson(core, shape))
}

/** Nothing but what a record must have. */
function sparse({ memberUrn, entityUrn }: PersonCore): Person {
  return { ...emptyPerson(memberUrn, entityUrn), contact_info: emptyContact() }
}

function memorialized(core: PersonCore): Person {
  const person = ordinary(core, { employers: 2, positions: 2, ongoing: false })
  return { ...person, is_memorialized: true, badges: emptyPerson().badges }
}
