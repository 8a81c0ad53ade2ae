import type { Company, ExperienceGroup, Person } from '@vitae/contract'
import { derivedCompanyId, isDerivedCompanyId } from '../identifier.ts'
import type { Identity } from '../provider.ts'
import { regroup } from './experience.ts'
import { entityUrn } from './identity.ts'
import { numericIdFromUrl, slugFromUrl } from './platform-url.ts'

/** The id of the company behind a page: its number, or the derived key that our own record of that page would get. */
export function companyIdOfPage(url: unknown): string | null {
  const number = numericIdFromUrl(url)
  const slug = pageSlug(url)
  return number ?? (slug === null ? null : derivedCompanyId(slug))
}

/** Fills missing ids: `entity_urn`, and the `company_id` of every employer and school with a known page. */
export function withDerivedIds(person: Person, identity: Identity): Person {
  return {
    ...person,
    entity_urn: person.entity_urn || entityUrn(identity),
    experience: mergeGroups(
      person.experience.map((group) => ({
        ...group,
        company_id: group.company_id ?? companyIdOfPage(group.company_url),
      })),
    ),
    education: person.education.map((item) => {
      const id = item.company_id === null ? companyIdOfPage(item.school_url) : null
      return id === null ? item : { ...item, school_id: item.school_id ?? id, company_id: id }
    }),
  }
}

interface Deps {
  findCompanyKeys(args: { slugs: string[] }): Promise<{ slug: string; key: string }[]>
}

/** Replaces derived company ids with the ids of companies that the store knows. */
export async function withStoredCompanyIds<Item extends Person | Company>(
  store: Deps,
  records: Item[],
): Promise<Item[]> {
  const slugs = new Set(records.flatMap(slugsWithoutNumber))
  if (slugs.size === 0) return records
  const found = await store.findCompanyKeys({ slugs: [...slugs] })
  const keys = new Map(found.map(({ slug, key }) => [slug, key]))
  return keys.size === 0 ? records : records.map((record) => withKeys(record, keys))
}

function slugsWithoutNumber(record: Person | Company): string[] {
  if (!('experience' in record)) return []
  const jobs = record.experience.map((group) => slugToResolve(group.company_id, group.company_url))
  const schools = record.education.map((item) => slugToResolve(item.company_id, item.school_url))
  return [...jobs, ...schools].filter((slug) => slug !== null)
}

function withKeys<Item extends Person | Company>(record: Item, keys: ReadonlyMap<string, string>): Item {
  if (!('experience' in record)) return record
  const known = (id: string | null, url: string | null) => keys.get(slugToResolve(id, url) ?? '') ?? id
  const experience = record.experience.map((group) => ({
    ...group,
    company_id: known(group.company_id, group.company_url),
  }))
  const education = record.education.map((item) => {
    const id = known(item.company_id, item.school_url)
    return { ...item, school_id: item.school_id === item.company_id ? id : item.school_id, company_id: id }
  })
  return { ...record, experience: mergeGroups(experience), education }
}

/** The slug to look up in the store; null if the id is already the platform's number. */
function slugToResolve(id: string | null, url: string | null): string | null {
  return id === null || isDerivedCompanyId(id) ? pageSlug(url) : null
}

function pageSlug(url: unknown): string | null {
  return slugFromUrl(url, ['company', 'school', 'showcase'])
}

/** Merges groups that belong to the same company after their ids were resolved. */
function mergeGroups(groups: ExperienceGroup[]): ExperienceGroup[] {
  const ids = groups.flatMap((group) => group.company_id ?? [])
  if (ids.length === new Set(ids).size) return groups
  return regroup(groups, (group, index) => group.company_id ?? `group ${index}`)
}
