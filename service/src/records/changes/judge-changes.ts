import type { Company, Kind, Person, RecordOf } from '@vitae/contract'
import { recordIn } from '../body/rewrite-record.ts'
import { readUnsaid } from '../filling/unit-states.ts'
import { type Change, type ChangeKind, type ValueChange, diffValues } from './diff-values.ts'
import { keepCompanyIds } from './keep-company-ids.ts'
import { isUndated, KnownJobs } from './known-jobs.ts'

/** A version to be compared. */
export interface Side<R = Person | Company> {
  record: R
  provider: string
  thin: boolean
  /** The units that its payload did not say. */
  unsaid?: ReadonlySet<string>
}

/** A stored version to be compared. */
export function sideOf(
  { provider, thin, unsaid }: { provider: string; thin: boolean; unsaid?: string | null },
  body: Uint8Array,
): Side<Person & Company> {
  return { record: recordIn(body), provider, thin, unsaid: readUnsaid(unsaid ?? null) }
}

/** The maximum number of versions that are read to judge the next one. */
export const judgedAtMost = 200

/** The maximum size of their records together: a provider may send megabytes in each version. */
export const judgedBytesAtMost = 2_000_000

/** More than anybody has. A longer list is compared value by value only, because each job is compared with all others. */
const jobsAtMost = 500

interface Judged {
  changes: Change[]
  /** The index of the version it was compared with, the last of its provider; null for a provider's first. */
  from: number | null
}

/** The statements of a provider so far: each unit from its last version that says it. */
interface View {
  index: number
  thin: boolean
  record: Fields
  unsaid: ReadonlySet<string>
}

type Fields = Record<string, unknown>

/**
 * The changes of each version, oldest first. The rule, for jobs and for single values:
 *
 * | the version | reported |
 * |---|---|
 * | is its provider's first | nothing: two providers describe one thing differently |
 * | differs from its provider's last one | the change |
 * | shows a change that another provider has shown on both sides | nothing: it is known |
 * | shows an older state than the known one, or catches up with it | nothing: it is old news |
 * | does not say a unit, or is thin | nothing about what it lacks |
 * | says the unit again | the change from what its provider said last |
 */
export function judgeChanges<K extends Kind>(kind: K, versions: readonly Side<RecordOf<K>>[]): Judged[] {
  const jobs = new KnownJobs()
  const values = new KnownValues()
  const views = new Map<string, View>()
  return versions.map((side, index) => {
    const before = views.get(side.provider)
    const now = viewOf(side, index)
    values.meet(side.provider, views)
    views.set(side.provider, addTo(before, now))
    const hasJobs = kind === 'people' && !side.thin && !now.unsaid.has('experience') && isCareer(now)
    const diff = hasJobs ? jobs.next(side.provider, jobsOf(before, now)) : null
    if (!before) return { changes: [], from: null }
    const changed = valueChanges(before, now).filter((change) => !diff?.covers(change.path))
    const news = values.news(side.provider, now.record, changed)
    const others = news.map((change) => ({ kind: kindOf(kind, change.path), ...change }))
    return { changes: [...(diff?.changes ?? []), ...others], from: before.index }
  })
}

function isCareer({ record }: View): boolean {
  // Only called for people.
  const groups = record.experience as Person['experience']
  return groups.reduce((count, { positions }) => count + 1 + positions.length, 0) <= 2 * jobsAtMost
}

/** The jobs of a version, with the company ids of its provider's last version. */
function jobsOf(before: View | undefined, now: View): Person['experience'] {
  const { experience } = before ? withIdsOf(before.record, now.record) : now.record
  // Only called for people.
  return experience as Person['experience']
}

/**
 * The differences between two versions. A difference between two providers is `source_changed`, never a change of the
 * person.
 */
export function diffRecords<K extends Kind>(kind: K, old: Side<RecordOf<K>>, now: Side<RecordOf<K>>): Change[] {
  if (old.provider === now.provider) return judgeChanges(kind, [old, now])[1]?.changes ?? []
  return valueChanges(viewOf(old, 0), viewOf(now, 1)).map((change) => ({ kind: 'source_changed', ...change }))
}

function viewOf({ record, thin, unsaid = new Set() }: Side, index: number): View {
  const isSilent = 'experience' in record && isUndated(record.experience)
  // A record is a plain object of its fields.
  const fields = record as unknown as Fields
  return { index, thin, record: fields, unsaid: isSilent ? new Set([...unsaid, 'experience']) : unsaid }
}

/** A thin version adds nothing to a fuller one, and an unsaid unit keeps its value. */
function addTo(before: View | undefined, now: View): View {
  if (!before) return now
  if (now.thin && !before.thin) return { ...before, index: now.index }
  const kept = [...now.unsaid].filter((unit) => unit in before.record)
  return {
    ...now,
    record: { ...now.record, ...Object.fromEntries(kept.map((unit) => [unit, before.record[unit]])) },
    unsaid: new Set([...now.unsaid].filter((unit) => before.unsaid.has(unit))),
  }
}

/**
 * The values that differ, except units that either side does not say. A job that continues under another id is the same
 * job.
 */
function valueChanges(old: View, now: View): ValueChange[] {
  // Ids are aligned both ways: an id that was unknown before does not make it another company.
  const after = withIdsOf(old.record, now.record)
  const silent = [...old.unsaid, ...now.unsaid].filter((unit) => unit in after)
  const before = { ...withIdsOf(after, old.record), ...Object.fromEntries(silent.map((unit) => [unit, after[unit]])) }
  const changes = diffValues(before, after)
  return old.thin || now.thin ? changes.filter((change) => !isLack(change)) : changes
}

function withIdsOf(known: Fields, record: Fields): Fields {
  if (!('experience' in known)) return record
  return { ...record, ...keepCompanyIds(known as unknown as Person, record as unknown as Person) }
}

/** A thin side lacks data, so only values that both sides state can differ. */
function isLack({ before, after }: ValueChange): boolean {
  return isNothing(before) || isNothing(after)
}

function isNothing(value: unknown): boolean {
  return value === null || value === false || value === ''
}

/** The single values that providers have shown. */
class KnownValues {
  /** The changes that each provider has shown, as path and new value. */
  readonly #shown = new Map<string, Set<string>>()
  /** The records of other providers when a provider was first read. */
  readonly #said = new Map<string, Fields[]>()

  meet(provider: string, views: ReadonlyMap<string, View>): void {
    if (!this.#said.has(provider))
      this.#said.set(
        provider,
        [...views.values()].map(({ record }) => record),
      )
  }

  /** The changes that no other provider has shown, nor said before this provider was first read. */
  news(provider: string, record: Fields, changes: readonly ValueChange[]): ValueChange[] {
    if (changes.length === 0) return []
    const own = this.#shown.get(provider) ?? new Set()
    const others = [...this.#shown].flatMap(([name, shown]) => (name === provider ? [] : [shown]))
    const differing = (this.#said.get(provider) ?? []).map((said) =>
      diffValues(withIdsOf(record, said), record).map(({ path }) => path),
    )
    this.#shown.set(provider, own)
    return changes.filter(({ path, after }) => {
      const key = JSON.stringify([path, after])
      own.add(key)
      return (
        !others.some((shown) => shown.has(key)) && differing.every((paths) => paths.some((one) => overlap(one, path)))
      )
    })
  }
}

/** Whether two paths are equal or one contains the other. */
function overlap(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return long.startsWith(short) && /^(?:$|[.[])/.test(long.slice(short.length))
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
