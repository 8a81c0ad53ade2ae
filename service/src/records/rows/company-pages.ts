import type { Company, Person } from '@vitae/contract'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { isDerivedCompanyId, type Alias } from '../../foundation/identifier.ts'
import { companySlug } from '../identifiers/parse-identifier.ts'
import { inChunks } from '../../database/sql/prepared.ts'

/** A derived `company_id` and the slug that was stored beside it. */
export interface CompanyPage {
  id: string
  slug: string
}

/** The derived company ids in a person's record that have a page. */
export function companyPagesIn(record: Person | Company): CompanyPage[] {
  if (!('experience' in record)) return []
  const jobs = record.experience.map(({ company_id: id, company_url: url }) => ({ id, url }))
  const schools = record.education.map(({ company_id: id, school_url: url }) => ({ id, url }))
  const volunteering = record.volunteer_experiences.map(({ company_id: id, url }) => ({ id, url }))
  return [...jobs, ...schools, ...volunteering].flatMap(({ id, url }) => {
    const slug = id !== null && isDerivedCompanyId(id) ? companySlug(url) : null
    return id === null || slug === null ? [] : [{ id, slug }]
  })
}

/** Stores pages. An id keeps its first page. The rows are sorted, so that two concurrent writers cannot deadlock. */
export async function addCompanyPages(tx: Tx, pages: readonly CompanyPage[]): Promise<void> {
  const rows = [...new Map(pages.map(({ id, slug }) => [id, { company_id: id, slug }])).values()]
  for (const chunk of inChunks(
    rows.toSorted((a, b) => (a.company_id < b.company_id ? -1 : 1)),
    500,
  )) {
    await tx
      .insertInto('company_pages')
      .values(chunk)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** The slug under which providers can be asked for the company of a derived id; null if unknown. */
export async function companyPage({ db }: Connection, { id }: { id: string }): Promise<string | null> {
  const row = await db.selectFrom('company_pages').select('slug').where('company_id', '=', id).executeTakeFirst()
  return row?.slug ?? null
}

/** Deletes the pages of an erased company, found by its slugs and its ids. */
export async function removeCompanyPages(tx: Tx, names: readonly Alias[]): Promise<void> {
  const valuesOf = (wanted: string) => ['', ...names.filter(({ type }) => type === wanted).map(({ value }) => value)]
  await tx.deleteFrom('company_pages').where('company_id', 'in', valuesOf('id')).execute()
  await tx.deleteFrom('company_pages').where('slug', 'in', valuesOf('slug')).execute()
}

/** The keys of the companies that hold these slugs now; unknown slugs are left out. */
export async function findCompanyKeys(
  { db }: Connection,
  { slugs }: { slugs: string[] },
): Promise<{ slug: string; key: string }[]> {
  return (await keysOf(db, 'slug', slugs)).map(({ value: slug, key }) => ({ slug, key }))
}

/** The keys of the companies that hold these derived ids now; unknown ids are left out. */
export async function keysOfDerivedIds(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  return new Map((await keysOf(tx, 'id', ids)).map(({ value: id, key }) => [id, key]))
}

async function keysOf(
  db: Tx,
  type: 'slug' | 'id',
  values: readonly string[],
): Promise<{ value: string; key: string }[]> {
  const found: { value: string; key: string }[] = []
  for (const chunk of inChunks(values, 500)) {
    const rows = await db
      .selectFrom('aliases')
      .innerJoin('entities', 'entities.id', 'aliases.entity_id')
      .select(['aliases.value', 'entities.key'])
      .where('aliases.kind', '=', 'companies')
      .where('aliases.type', '=', type)
      .where('aliases.value', 'in', chunk)
      .execute()
    found.push(...rows)
  }
  return found
}

/** The search word for the domain of a company's own site. */
export function siteWord(domain: string): string {
  return `site:${domain}`
}

/** The keys of companies whose own site is at the domain, newest first. */
export async function companiesBySite(
  { db }: Connection,
  { domain, limit }: { domain: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('entity_words')
    .innerJoin('entities', 'entities.id', 'entity_words.entity_id')
    .select(['entities.key'])
    .where('entity_words.kind', '=', 'companies')
    .where('entity_words.word', '=', siteWord(domain))
    .orderBy('entities.fetched_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ key }) => key)
}
