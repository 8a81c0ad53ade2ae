import {
  type Company,
  type FailureCode,
  type Person,
  emptyContact,
  emptyPerson,
  type ExperienceGroup,
} from '@vitae/contract'
import type { CompanyPage, Identifier } from '../foundation/identifier.ts'
import { sampleCompany } from './sample-company.ts'
import type { CareerShape } from './career.ts'
import { chanceOf, type Chance } from './vocabulary/chance.ts'
import { completePerson } from './complete-person.ts'
import { type PersonCore, personCore } from './person-core.ts'
import { dayMs } from '../foundation/clock.ts'
import { sectionNames, type Sections } from './sections.ts'

export interface SampleFailure {
  failure: FailureCode
  retryAfterSeconds?: number
}

export interface SampleRecord {
  /** The optional parts of a person are filled; the caller removes those that were not requested. */
  record: Person | Company
  thin: boolean
  /** The age of the stored copy; null if absent. */
  copyAgeMs: number | null
  /** Whether a fetch would succeed. */
  isProviderUp: boolean
  /** Units that appear to come from another provider, and their age. */
  filled?: readonly { unit: string; provider: string; ageMs: number }[]
}

/** Short waits, so that testing a caller's retries is quick. */
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

const filledUnits = {
  people: ['contact_info.email_address', 'contact_info.phone_numbers', 'skills'],
  companies: ['followers_count', 'phone_number'],
}

/** `sample-filled`: the record is a day old, and some of its units come from an older fetch of another provider. */
function filledSample({ kind }: Identifier): Pick<SampleRecord, 'copyAgeMs' | 'isProviderUp' | 'filled'> {
  const filled = filledUnits[kind].map((unit) => ({ unit, provider: 'peopledatalabs', ageMs: 2 * dayMs }))
  return { copyAgeMs: dayMs, isProviderUp: true, filled }
}

/** The answer for a test key: the simulated failure or state of a reserved identifier, otherwise a fictional record. */
export function sampleAnswer(identifier: Identifier, page: CompanyPage = 'company'): SampleFailure | SampleRecord {
  const name = identifier.type === 'slug' ? identifier.value : ''
  const failure = failures.get(name)
  if (failure) return failure
  const known = name === 'sample-filled' ? filledSample(identifier) : (stored.get(name) ?? unstored)
  if (identifier.kind === 'people') {
    return { record: samplePerson(identifier), ...known, thin: name === 'sample-sparse' }
  }
  const thin = name === 'sample-sparse' || name === 'sample-auto-generated'
  return { record: sampleCompany(identifier, page), ...known, thin }
}

/** Reserved slugs and the variants of their record. */
const variants = new Map<string, (core: PersonCore) => Person>([
  ['sample-sparse', sparse],
  ['sample-complete', (core) => completePerson(core, { employers: 3, positions: 2, ongoing: true })],
  ['sample-filled', (core) => completePerson(core, { employers: 2, positions: 2, ongoing: true })],
  ['sample-promoted', (core) => ordinary(core, { employers: 1, positions: 4, ongoing: true })],
  ['sample-memorialized', memorialized],
])

/**
 * The fictional person of an identifier, always the same one. All optional parts are filled; the caller removes those
 * that were not requested.
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

/** Only what a record must have. */
function sparse({ memberUrn, entityUrn }: PersonCore): Person {
  return { ...emptyPerson(memberUrn, entityUrn), contact_info: emptyContact() }
}

function memorialized(core: PersonCore): Person {
  const person = ordinary(core, { employers: 2, positions: 2, ongoing: false })
  return { ...person, is_memorialized: true, badges: emptyPerson().badges }
}

/**
 * Leaves out what the provider does not supply at present, and lists that many people leave empty. Listed items have
 * every field that the contract calls populated.
 */
function withUsualGaps(person: Person): Person {
  const chance = chanceOf(`gaps ${person.member_urn}`)
  return {
    ...person,
    network_info: null,
    verifications: leanVerifications(chance, person.verifications),
    contact_info: suppliedContact(chance, person.contact_info),
    experience: person.experience.map((group) => leanGroup(chance, group)),
    education: chance.odds(92) ? person.education : [],
    skills: chance.odds(92) ? person.skills : [],
    ...leanSections(chance, person),
  }
}

/** Many people have verified nothing; for the others the items are not supplied. */
function leanVerifications(chance: Chance, verifications: Person['verifications']): Person['verifications'] {
  if (!verifications) return null
  if (chance.odds(40)) return { ...verifications, is_verified: false, sections: [] }
  return { ...verifications, sections: verifications.sections.map(({ title }) => ({ title, items: [] })) }
}

function leanGroup(chance: Chance, group: ExperienceGroup): ExperienceGroup {
  const positions = group.positions.map((position) => ({
    ...position,
    employment_type: chance.odds(85) ? position.employment_type : null,
  }))
  return { ...group, workplace_type: null, positions }
}

function suppliedContact(chance: Chance, contact: Person['contact_info']): Person['contact_info'] {
  return {
    ...emptyContact(),
    birth_date: contact?.birth_date ?? null,
    address: contact && chance.odds(40) ? contact.address : null,
  }
}

/** A few of the sections; languages nearly always. */
function leanSections(chance: Chance, person: Person): Partial<Sections> {
  const kept = new Set<string>(chance.several(sectionNames, chance.whole(0, 5)))
  if (chance.odds(85)) kept.add('languages')
  return Object.fromEntries(sectionNames.map((name) => [name, kept.has(name) ? person[name] : []]))
}
