import type { Connection, Tx } from '../../database/dialect.ts'
import { inChunks } from '../../database/sql/bulk-rows.ts'

/** The keys of the companies that slugs lead to now; slugs that nothing is known of are left out. */
export async function findCompanyKeys(
  { db }: Connection,
  { slugs }: { slugs: string[] },
): Promise<{ slug: string; key: string }[]> {
  return (await keysOf(db, 'slug', slugs)).map(({ value: slug, key }) => ({ slug, key }))
}

/** The keys of the companies that derived ids lead to now; those that nothing is known of are left out. */
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
