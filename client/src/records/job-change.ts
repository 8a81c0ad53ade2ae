import type { Answer } from '../answers/answer.ts'
import type { ExperienceGroup, Person } from '../contract.generated.ts'
import { currentEmployers } from './current-positions.ts'
import { findPromotion, type Promotion } from './find-promotion.ts'
import { pairEmployers } from './pair-employers.ts'

/** A person at one point in time: the record alone, or the whole answer, which adds its `thin` flag. */
export type PersonAt = Person | Pick<Answer<Person>, 'record' | 'thin'>

export type JobChange = {
  /**
   * `moved`: left one employer and joined another. `joined`, `left`: only one of the two. `promoted`: a new position at
   * the same employer. `none`: no change. `unknown`: these two records do not show it.
   */
  kind: 'moved' | 'joined' | 'left' | 'promoted' | 'none' | 'unknown'
  joined: ExperienceGroup[]
  left: ExperienceGroup[]
  /** New positions at unchanged employers. They may occur together with a change of other employers. */
  promotions: Promotion[]
}

const unknown = (): JobChange => ({ kind: 'unknown', joined: [], left: [], promotions: [] })

/**
 * The job changes of a person between two records. Employers are compared by `company_id`, because names change. A thin
 * record or one without any experience is `unknown`, never "left all jobs".
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

/** Untyped callers may pass anything, such as null for a record that was never stored. */
function isPerson(at: unknown): boolean {
  if (typeof at !== 'object' || at === null) return false
  if ('record' in at) return isPerson(at.record)
  return 'experience' in at && Array.isArray(at.experience)
}

/** A slug can change, and two people can turn out to be one, so only both differences together are proof. */
function isSomeoneElse(before: Person, after: Person): boolean {
  return before.member_urn !== after.member_urn && before.public_identifier !== after.public_identifier
}
