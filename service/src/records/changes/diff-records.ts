import type { Company, Kind, Person, RecordOf, ExperienceGroup, Position } from '@vitae/contract'
import { type Change, type ChangeKind, type ValueChange, diffValues, positionName } from './diff-values.ts'
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

/** A job as a change names it. */
interface Job {
  company_id: string | null
  company_name: string | null
  title: string | null
}

interface JobDiff {
  changes: Change[]
  /** Paths of value changes that these changes stand for. */
  covered: string[]
}

const nothing: JobDiff = { changes: [], covered: [] }

/**
 * Moves between companies, recognised by company id and never by name, since names drift. Records of two providers are
 * compared only where both give platform ids for every current employer: other ids would all look like moves.
 */
function diffJobs(before: readonly ExperienceGroup[], after: readonly ExperienceGroup[], sameSource: boolean): JobDiff {
  const old = current(before)
  const now = current(after)
  if (!sameSource && ![...old, ...now].every(hasPlatformId)) return nothing
  const left = old.filter((group) => group.company_id !== null && !holder(now, group))
  const joined = now.filter((group) => group.company_id !== null && !holder(old, group))
  const returned = joined.filter((group) =>
    before.some((past) => past.company_id === group.company_id && hasEnded(past)),
  )
  const fresh = joined.filter((group) => !returned.includes(group))
  const promoted = now.flatMap((group) => promotions(holder(old, group), group, sameSource))
  const changes = [...pairs(left, fresh), ...returned.map((group) => returnTo(before, group)), ...promoted]
  const covered = [...left, ...joined].map((group) => `experience[${group.company_id}]`)
  return { changes, covered: [...covered, ...promoted.map((change) => change.path)] }
}

/** A job without any date is not known to be current. */
function current(groups: readonly ExperienceGroup[]): ExperienceGroup[] {
  return groups.filter(
    (group) =>
      goesOn(group.date_range) || (group.date_range === null && group.positions.some((one) => goesOn(one.date_range))),
  )
}

function goesOn(range: ExperienceGroup['date_range']): boolean {
  return range !== null && range.end === null
}

function hasEnded(group: ExperienceGroup): boolean {
  return group.date_range !== null && group.date_range.end !== null
}

function hasPlatformId(group: ExperienceGroup): boolean {
  return /^\d+$/.test(group.company_id ?? '')
}

function holder(groups: readonly ExperienceGroup[], wanted: ExperienceGroup): ExperienceGroup | undefined {
  return groups.find((group) => group.company_id === wanted.company_id)
}

/** Leaving one company and joining another is one change, not two. */
function pairs(left: readonly ExperienceGroup[], joined: readonly ExperienceGroup[]): Change[] {
  return Array.from({ length: Math.max(left.length, joined.length) }, (_, index) => ({
    kind: 'job_change' as const,
    path: 'experience',
    before: jobOf(left[index]),
    after: jobOf(joined[index]),
  }))
}

function returnTo(before: readonly ExperienceGroup[], group: ExperienceGroup): Change {
  const past = before.find((one) => one.company_id === group.company_id)
  return { kind: 'return', path: `experience[${group.company_id}]`, before: jobOf(past), after: jobOf(group) }
}

function jobOf(group: ExperienceGroup | undefined): Job | null {
  if (!group) return null
  return { company_id: group.company_id, company_name: group.company_name, title: group.positions[0]?.title ?? null }
}

/** A promotion is a position that goes on, at a company that went on, that was not there before. */
function promotions(before: ExperienceGroup | undefined, after: ExperienceGroup, sameSource: boolean): Change[] {
  if (!before || before.company_id === null) return []
  return after.positions
    .filter((position) =>
      position.date_range === null ? after.positions[0] === position : goesOn(position.date_range),
    )
    .filter((position) => isNew(position, before.positions, sameSource))
    .map((position) => ({
      kind: 'promotion',
      path: `experience[${after.company_id}].positions[${positionName(position)}]`,
      before: jobOf(before),
      after: { company_id: after.company_id, company_name: after.company_name, title: position.title },
    }))
}

/**
 * A new title that began when a known one did is that title, edited. Between two providers, who round dates
 * differently, only a position that began later than every known one counts.
 */
function isNew(position: Position, known: readonly Position[], sameSource: boolean): boolean {
  if (known.length === 0 || position.title === null || known.some((one) => sameTitle(one, position))) return false
  const start = position.date_range?.start ?? null
  const starts = known.map((one) => one.date_range?.start?.iso ?? null)
  if (!sameSource)
    return start !== null && starts.every((one) => one !== null && one.slice(0, 4) < start.iso.slice(0, 4))
  return start === null || !starts.includes(start.iso)
}

function sameTitle(a: Position, b: Position): boolean {
  return foldCase(a.title) === foldCase(b.title)
}

function foldCase(title: string | null): string {
  return (title ?? '').normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}
