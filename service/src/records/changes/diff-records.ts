import type { Company, Kind, Person, RecordOf } from '@vitae/contract'
import { diffJobs } from './diff-jobs.ts'
import { type Change, type ChangeKind, type ValueChange, diffValues } from './diff-values.ts'
import { keepCompanyIds } from './keep-company-ids.ts'

/** A version as it is compared. */
export interface Side<R = Person | Company> {
  record: R
  provider: string
  thin: boolean
}

/**
 * What changed from one version to another: job changes first, then single values.
 * A thin version says little, so nothing is concluded from what it lacks. Two providers describe the same thing
 * differently, so their differences are `source_changed`, except moves between companies that both name by platform id.
 * A job that goes on under another id of its company is the same job.
 * Addresses of images are never reported: they expire, and change without anything having changed.
 */
export function diffRecords<K extends Kind>(kind: K, old: Side<RecordOf<K>>, now: Side<RecordOf<K>>): Change[] {
  // Both ways: an id that was not known before is no other company either.
  const after = { ...now, record: withIdsOf(old.record, now.record) }
  const before = { ...old, record: withIdsOf(after.record, old.record) }
  const sameSource = before.provider === after.provider
  const thin = before.thin || after.thin
  const jobs =
    kind === 'people' && !thin
      ? diffJobs(experienceOf(before), experienceOf(after), sameSource)
      : { changes: [], covered: [] }
  const values = diffValues(before.record, after.record)
    .filter((change) => !jobs.covered.includes(change.path))
    .filter((change) => !thin || !isLack(change))
    .map((change) => ({ kind: sameSource ? kindOf(kind, change.path) : ('source_changed' as const), ...change }))
  return [...jobs.changes, ...values]
}

function withIdsOf<R extends Person | Company>(known: R, record: R): R {
  return 'experience' in known && 'experience' in record ? { ...record, ...keepCompanyIds(known, record) } : record
}

function experienceOf({ record }: Side): Person['experience'] {
  return 'experience' in record ? record.experience : []
}

/** A thin side has less than it could: only where both say something is there a difference. */
function isLack({ before, after }: ValueChange): boolean {
  return isNothing(before) || isNothing(after)
}

function isNothing(value: unknown): boolean {
  return value === null || value === false || value === ''
}

const companyMeanings: [prefix: string, kind: ChangeKind][] = [
  ['locations', 'location'],
  ['staff_info', 'headcount'],
  ['funding_data', 'funding'],
]
const personMeanings: [prefix: string, kind: ChangeKind][] = [
  ['headline', 'headline'],
  ['location', 'location'],
]

function kindOf(kind: Kind, path: string): ChangeKind {
  const meanings = kind === 'people' ? personMeanings : companyMeanings
  const found = meanings.find(
    ([prefix]) => path === prefix || path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`),
  )
  return found ? found[1] : 'field'
}
