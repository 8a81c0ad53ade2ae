import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { kinds, type Company, type Kind, type Person } from '@vitae/contract'
import type { Database } from '../../database/dialect.ts'
import { foldAlias } from '../identifiers/alias.ts'
import { unpack } from '../versions/compress.ts'
import { foldName } from './fold-name.ts'
import { recordName } from './record-name.ts'

export interface EntitySummary {
  entityId: number
  kind: Kind
  key: string
  derived: boolean
  name: string | null
  slug: string | null
  provider: string | null
  fetchedAt: number | null
  thin: boolean
  versions: number
}

export interface EntityPage {
  items: EntitySummary[]
  /** Where the next page begins, or null. */
  next: number | null
}

interface Search {
  kind?: Kind
  text: string
  limit: number
  cursor?: number | null
}

/** The operator's search: any alias in full, or the beginning of a slug or of a name. An empty text lists everything. */
export async function searchEntities(
  { db, dialect }: Database,
  { kind, text, limit, cursor }: Search,
): Promise<EntityPage> {
  const asked = kind ? [kind] : kinds
  const trimmed = text.trim()
  const rows = await db
    .selectFrom('entities')
    .leftJoin('versions', 'versions.id', 'entities.version_id')
    .select(['entities.id', 'entities.kind', 'entities.key', 'entities.derived', 'entities.name'])
    .select(['versions.provider', 'versions.fetched_at', 'versions.thin', 'versions.body'])
    .select((eb) =>
      eb
        .selectFrom('aliases')
        .select('value')
        .whereRef('aliases.entity_id', '=', 'entities.id')
        .where('type', '=', 'slug')
        .orderBy('seen_at', 'desc')
        .limit(1)
        .as('slug'),
    )
    .select((eb) =>
      eb
        .selectFrom('versions as kept')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('kept.entity_id', '=', 'entities.id')
        .as('versions'),
    )
    .where('entities.kind', 'in', asked)
    .where('entities.id', '>', cursor ?? 0)
    .$if(trimmed !== '', (query) => query.where(matches(dialect, asked, trimmed)))
    .orderBy('entities.id')
    .limit(limit + 1)
    .execute()
  const items = rows.slice(0, limit).map((row) => ({
    entityId: row.id,
    kind: row.kind,
    key: row.key,
    derived: row.derived === 1,
    name: row.body ? writtenName(row.body) : row.name,
    slug: row.slug,
    provider: row.provider,
    fetchedAt: row.fetched_at,
    thin: row.thin === 1,
    versions: Number(row.versions),
  }))
  return { items, next: rows.length > limit ? (items.at(-1)?.entityId ?? null) : null }
}

/** The name as it is written; the search keeps only its folded form. */
function writtenName(body: Uint8Array): string | null {
  // Written by serialiseRecord.
  return recordName(JSON.parse(Buffer.from(unpack(body)).toString()) as Person | Company)
}

/** Each kind apart, so that every branch is one range of an index. */
function matches(dialect: Database['dialect'], asked: readonly Kind[], text: string): RawBuilder<SqlBool> {
  const slug = foldAlias({ type: 'slug', value: text }).value
  const branches = asked.flatMap((kind) => [
    sql`select id from entities where kind = ${kind} and ${beginsWith(dialect, 'name', foldName(text))}`,
    sql`select entity_id from aliases where kind = ${kind} and type = 'slug' and ${beginsWith(dialect, 'value', slug)}`,
    sql`select entity_id from aliases where kind = ${kind} and value in (${text}, ${slug})`,
  ])
  return sql<SqlBool>`entities.id in (${sql.join(branches, sql` union `)})`
}

function beginsWith(dialect: Database['dialect'], column: string, prefix: string): RawBuilder<SqlBool> {
  const name = sql.ref(column)
  if (dialect === 'postgres') return sql<SqlBool>`${name} like ${`${prefix.replace(/[\\%_]/g, '\\$&')}%`}`
  // Compared as bytes: nothing that begins with the prefix sorts after the highest code point.
  return sql<SqlBool>`(${name} >= ${prefix} and ${name} < ${`${prefix}\u{10FFFF}`})`
}
