import type { Answer } from './answer.ts'
import type { ExperienceGroup, Person } from './contract.generated.ts'
import { currentEmployers } from './current-positions.ts'
import { findPromotion, type Promotion } from './find-promotion.ts'
import { pairEmployers } from './pair-employers.ts'

/** A person at one point in time: the record alone, or the whole answer, whose `thin` mark is then heeded. */
export type PersonAt = Person | Pick<Answer<Person>, 'record' | 'thin'>

export type JobChange = {
  /**
   * `moved` left one employer and joined another, `joined` or `left` did only one of the two, `promoted` stayed and
   * has a new position there, `none` nothing of these, `unknown` cannot be told from these two records.
   */
  kind: 'moved' | 'joined' | 'left' | 'promoted' | 'none' | 'unknown'
  joined: ExperienceGroup[]
  left: ExperienceGroup[]
  /** New positions at employers that stayed; they may come with a change of other employers. */
  promotions: Promotion[]
}

const unknown = (): JobChange => ({ kind: 'unknown', joined: [], left: [], promotions: [] })

/**
 * What happened to a person's jobs between two records. Employers are told apart by `company_id`, since names drift.
 * A thin record, or one without any experience, tells nothing, and above all not that all jobs were left.
 */
export function jobChange(before: PersonAt, after: PersonAt): JobChange {
  const [earlier, later] = [readExperience('before', before), readExperience('after', after)]
  if (!earlier || !later || isSomeoneElse(earlier, later)) return unknown()
  const pairs = pairEmployers(currentEmployers(earlier), currentEmployers(later))
  if (!pairs) return unknown()
  const promotions = pairs.stayed.flatMap((pair) => findPromotion(...pair) ?? [])
  const { joined, left } = pairs
  return { kind: nameChange(joined.length > 0, left.length > 0, promotions.length > 0), joined, left, promotions }
}

function nameChange(joined: boolean, left: boolean, promoted: boolean): JobChange['kind'] {
  if (joined && left) return 'moved'
  if (joined) return 'joined'
  if (left) return 'left'
  return promoted ? 'promoted' : 'none'
}

function readExperience(name: string, at: PersonAt): Person | null {
  if (!isPerson(at)) {
    const got = at === null ? 'null' : typeof at
    throw new TypeError(`jobChange(before, after) wants two people, as records or as whole answers; ${name} is ${got}.`)
  }
  const { record, thin } = 'record' in at ? at : { record: at, thin: false }
  return thin || record.experience.length === 0 ? null : record
}

/** Callers without types may hand over anything, such as null for a record that was never stored. */
function isPerson(at: unknown): boolean {
  if (typeof at !== 'object' || at === null) return false
  if ('record' in at) return isPerson(at.record)
  return 'experience' in at && Array.isArray(at.experience)
}

/** A slug moves on, and two people may prove to be one, so only two differences together prove it. */
function isSomeoneElse(before: Person, after: Person): boolean {
  return before.member_urn !== after.member_urn && before.public_identifier !== after.public_identifier
}
