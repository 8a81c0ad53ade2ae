import type { Person } from '@vitae/contract'
import { foldText } from '../../foundation/text/fold-text.ts'
import { isDerivedCompanyId } from '../../foundation/identifier.ts'
import { companySlug } from '../identifiers/parse-identifier.ts'

/** The facts that identify an employer or a school. */
interface Named {
  id: string | null
  /** Whether the id is one of the platform. */
  isSure: boolean
  slug: string | null
  name: string
  /** The year in which it began. */
  start: number | null
}

type Matches = (before: Named, after: Named) => boolean

/**
 * The later record with the earlier record's company ids for jobs and schools in both, so that comparing ids shows only
 * real changes. `numbers` maps derived ids to the platform's ids, if known.
 */
export function keepCompanyIds(before: Person, after: Person, numbers: ReadonlyMap<string, string> = none): Person {
  const jobs = keptIds(firstOf(before.experience).map(employer), firstOf(after.experience).map(employer), numbers)
  const schools = keptIds(firstOf(before.education).map(school), firstOf(after.education).map(school), numbers)
  if (jobs.size === 0 && schools.size === 0) return after
  return {
    ...after,
    experience: after.experience.map((group, index) => ({ ...group, company_id: jobs.get(index) ?? group.company_id })),
    education: after.education.map((item, index) => {
      const id = schools.get(index) ?? item.company_id
      return { ...item, school_id: item.school_id === item.company_id ? id : item.school_id, company_id: id }
    }),
  }
}

/** More than anybody has. Each entry of a list is compared with each of the other one. */
const entriesAtMost = 500

function firstOf<Entry>(list: readonly Entry[]): Entry[] {
  return list.slice(0, entriesAtMost)
}

const none: ReadonlyMap<string, string> = new Map()

/** The ids to keep from the earlier record, by position in the later one. */
function keptIds(
  before: readonly Named[],
  after: readonly Named[],
  numbers: ReadonlyMap<string, string>,
): Map<number, string> {
  const isNumbered: Matches = (old, now) => old.id !== null && now.id !== null && numbers.get(old.id) === now.id
  const left = new Set(before)
  const waiting = new Set(after.keys())
  const kept = new Map<number, string>()
  // One proof after another, so that the stronger proof decides between two candidates.
  for (const matches of [haveSameId, isNumbered, haveSamePage, haveSameName]) {
    for (const index of waiting) {
      const now = after[index]
      const old = now && before.find((one) => left.has(one) && matches(one, now))
      if (!old) continue
      left.delete(old)
      waiting.delete(index)
      if (old.id !== null && old.id !== now.id) kept.set(index, old.id)
    }
  }
  return kept
}

const haveSameId: Matches = (before, after) => before.id !== null && before.id === after.id

const haveSamePage: Matches = (before, after) =>
  !areBothSure(before, after) && before.slug !== null && before.slug === after.slug

/** Same name and about the same start: another job at a company of the same name began at another time. */
const haveSameName: Matches = (before, after) =>
  !areBothSure(before, after) &&
  before.name !== '' &&
  before.name === after.name &&
  (before.start === null || after.start === null || Math.abs(before.start - after.start) <= 1)

/** Two different platform ids are two companies, whatever their names. */
function areBothSure(before: Named, after: Named): boolean {
  return before.isSure && after.isSure
}

function isSure(id: string | null): boolean {
  return id !== null && !isDerivedCompanyId(id)
}

function employer(group: Person['experience'][number]): Named {
  const { company_id: id, company_url: url, company_name: name } = group
  const starts = [group, ...group.positions].flatMap((one) => one.date_range?.start?.year ?? [])
  return {
    id,
    isSure: isSure(id),
    slug: companySlug(url),
    name: foldText(name ?? ''),
    start: starts.length > 0 ? starts.reduce((one, other) => Math.min(one, other)) : null,
  }
}

function school(item: Person['education'][number]): Named {
  const { company_id: id, school_url: url, school_name: name } = item
  return {
    id,
    isSure: isSure(id),
    slug: companySlug(url),
    name: foldText(name ?? ''),
    start: item.date_range?.start?.year ?? null,
  }
}
