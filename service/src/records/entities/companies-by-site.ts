import type { Connection } from '../../database/dialect.ts'

/** Under what the search keeps the domain of a company's own site. */
export function siteWord(domain: string): string {
  return `site:${domain}`
}

/** The keys of companies whose own site is at the domain, the newest first. */
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
