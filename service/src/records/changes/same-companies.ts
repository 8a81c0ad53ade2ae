import type { Company, Person } from '@vitae/contract'
import { isDerivedCompanyId } from '../../foundation/identifier.ts'

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
export function withSameCompanyIds<R extends Person | Company>(before: R, after: R): [before: R, after: R] {
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
