import type { Company, Kind, Person, RecordOf } from '@vitae/contract'
import { diffJobs } from './diff-jobs.ts'
import { type Change, type ChangeKind, type ValueChange, diffValues } from './diff-values.ts'
import { isDerivedCompanyId } from '../../foundation/identifier.ts'

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
 * A company that got its platform id in the meantime is the same company.
 * Addresses of images are never reported: they expire, and change without anything having changed.
 */
export function diffRecords<K extends Kind>(kind: K, old: Side<RecordOf<K>>, now: Side<RecordOf<K>>): Change[] {
  const [oldRecord, newRecord] = withSameCompanyIds(old.record, now.record)
  const before = { ...old, record: oldRecord }
  const after = { ...now, record: newRecord }
  const sameSource = before.provider === after.provider
  const thin = before.thin || after.thin
  const jobs =
    kind === 'people' && !thin
      ? diffJobs(experienceOf(before), experienceOf(after), sameSource)
      : { changes: [], told: [] }
  const values = diffValues(before.record, after.record)
    .filter((change) => !jobs.told.includes(change.path))
    .filter((change) => !thin || !isLack(change))
    .map((change) => ({ kind: sameSource ? kindOf(kind, change.path) : ('source_changed' as const), ...change }))
  return [...jobs.changes, ...values]
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

/** What tells which company an employer or a school is. */
interface Named {
  id: string | null
  name: string | null
  url: string | null
}

/**
 * Two versions of a record in which each company has one id. A derived or missing id is replaced by the platform's id
 * that either version has for the same page, and a derived one also by the id of a company with the same name.
 */
function withSameCompanyIds<R extends Person | Company>(before: R, after: R): [before: R, after: R] {
  const known = new Map<string, string>()
  for (const { id, name, url } of [...companiesIn(before), ...companiesIn(after)]) {
    if (id === null || isDerivedCompanyId(id)) continue
    for (const key of [pageKey(url), nameKey(name)]) if (key) known.set(key, id)
  }
  const idOf = ({ id, name, url }: Named): string | null => {
    if (id !== null && !isDerivedCompanyId(id)) return id
    return known.get(pageKey(url)) ?? (id === null ? id : (known.get(nameKey(name)) ?? id))
  }
  return [withIds(before, idOf), withIds(after, idOf)]
}

function companiesIn(record: Person | Company): Named[] {
  if (!('experience' in record)) return []
  return [...record.experience.map(employer), ...record.education.map(school)]
}

function employer(group: Person['experience'][number]): Named {
  return { id: group.company_id, name: group.company_name, url: group.company_url }
}

function school(item: Person['education'][number]): Named {
  return { id: item.company_id, name: item.school_name, url: item.school_url }
}

function withIds<R extends Person | Company>(record: R, idOf: (named: Named) => string | null): R {
  if (!('experience' in record)) return record
  const experience = record.experience.map((group) => ({ ...group, company_id: idOf(employer(group)) }))
  const education = record.education.map((item) => {
    const id = idOf(school(item))
    return { ...item, school_id: item.school_id === item.company_id ? id : item.school_id, company_id: id }
  })
  return { ...record, experience, education }
}

/** Pages of a company and of a school share their slugs. */
function pageKey(url: string | null): string {
  const slug = /\/(?:company|school|showcase)\/([^/?#]+)/i.exec(url ?? '')?.[1]
  return slug === undefined ? '' : `page ${slug.toLowerCase()}`
}

function nameKey(name: string | null): string {
  const folded = (name ?? '').normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
  return folded === '' ? '' : `name ${folded}`
}
