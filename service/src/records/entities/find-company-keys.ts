import type { Connection, Tx } from '../../database/dialect.ts'
import { inChunks } from '../in-chunks.ts'

/** The keys of the companies that slugs lead to now; slugs that nothing is known of are left out. */
export async function findCompanyKeys(
  { db }: Connection,
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

/** The keys of the companies that derived ids lead to now; those that nothing is known of are left out. */
export async function keysOfDerivedIds(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  for (const chunk of inChunks(ids, 500)) {
    const rows = await tx
      .selectFrom('aliases')
      .innerJoin('entities', 'entities.id', 'aliases.entity_id')
      .select(['aliases.value as id', 'entities.key'])
      .where('aliases.kind', '=', 'companies')
      .where('aliases.type', '=', 'id')
      .where('aliases.value', 'in', chunk)
      .execute()
    for (const { id, key } of rows) keys.set(id, key)
  }
  return keys
}
