import type { Database } from '../../database/dialect.ts'
import { inChunks } from '../in-chunks.ts'

/** The keys of the companies that slugs lead to now; slugs that nothing is known of are left out. */
export async function findCompanyKeys(
  { db }: Database,
  { slugs }: { slugs: string[] },
): Promise<{ slug: string; key: string }[]> {
  const found: { slug: string; key: string }[] = []
  for (const chunk of inChunks(slugs, 500)) {
    const rows = await db
      .selectFrom('aliases')
      .innerJoin('entities', 'entities.id', 'aliases.entity_id')
      .select(['aliases.value as slug', 'entities.key'])
      .where('aliases.kind', '=', 'companies')
      .where('aliases.type', '=', 'slug')
      .where('aliases.value', 'in', chunk)
      .execute()
    found.push(...rows)
  }
  return found
}
