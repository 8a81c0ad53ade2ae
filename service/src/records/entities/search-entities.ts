import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { kinds, type Kind } from '@vitae/contract'
import type { Connection } from '../../database/engine/dialect.ts'
import { foldedWords, foldText } from '../../foundation/text/fold-text.ts'
import type { Identifier } from '../../foundation/identifier.ts'
import { foldAlias } from '../identifiers/alias.ts'
import { recordInBody, recordName } from '../rows/search-texts.ts'

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

/** The end of a page. */
export interface EntityCursor {
  fetchedAt: number
  entityId: number
}

export interface EntityPage {
  items: EntitySummary[]
  /** The start of the next page; null at the end. */
  next: EntityCursor | null
}

export interface EntitySearch {
  /** Words of a name, the beginning of a slug, or a full id. Empty = everything. */
  text: string
  /** Identifiers that the text contains if it is parsed like a caller's input, for example a URL. */
  identifiers?: Identifier[]
  kind?: Kind
  provider?: string
  thin?: boolean
  fetchedBefore?: number
  fetchedAfter?: number
  order?: 'newest' | 'oldest'
  limit: number
  cursor?: EntityCursor | null
}

/** The operator's list of records: searched, filtered and sorted by fetch time. */
export async function searchEntities(database: Connection, search: EntitySearch): Promise<EntityPage> {
  const { limit, order = 'newest' } = search
  // One statement per kind, so that each reads one index range in order.
  const asked = search.kind ? [search.kind] : kinds
  const found = await Promise.all(asked.map((kind) => searchQuery(database, kind, search).execute()))
  const sign = order === 'newest' ? -1 : 1
  const rows = found.flat().toSorted((a, b) => sign * (a.fetched_at - b.fetched_at || a.id - b.id))
  const items = rows.slice(0, limit).map((row) => ({
    entityId: row.id,
    kind: row.kind,
    key: row.key,
    derived: row.derived === 1,
    // The original name; the search stores only its folded form.
    name: row.body ? recordName(recordInBody(row.body)) : row.name,
    slug: row.slug,
    provider: row.provider,
    fetchedAt: row.body ? row.fetched_at : null,
    thin: row.thin === 1,
    versions: Number(row.versions),
  }))
  const last = rows[limit - 1]
  return { items, next: last && rows.length > limit ? { fetchedAt: last.fetched_at, entityId: last.id } : null }
}

/** The query for one page of one kind. */
export function searchQuery({ db, dialect }: Connection, kind: Kind, search: EntitySearch) {
  const { text, provider, thin, fetchedBefore, fetchedAfter, order = 'newest', limit, cursor } = search
  const [direction, beyond] = order === 'newest' ? (['desc', '<'] as const) : (['asc', '>'] as const)
  const trimmed = text.trim()
  // Search results are sorted after they are found: the plus keeps the engine from walking all records in order.
  const time = trimmed === '' ? sql<number>`entities.fetched_at` : sql<number>`+entities.fetched_at`
  return (
    db
      .selectFrom('entities')
      .leftJoin('versions', 'versions.id', 'entities.version_id')
      .select(['entities.id', 'entities.kind', 'entities.key', 'entities.derived', 'entities.name'])
      .select(['entities.provider', 'entities.fetched_at', 'entities.thin', 'versions.body'])
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
      // The search already restricts the kind, and this condition would make the engine walk all records of the kind.
      .$if(trimmed === '', (query) => query.where('entities.kind', '=', kind))
      .$if(provider !== undefined, (query) => query.where('entities.provider', '=', provider ?? ''))
      .$if(thin !== undefined, (query) => query.where('entities.thin', '=', sql.lit<number>(thin ? 1 : 0)))
      .$if(fetchedBefore !== undefined, (query) => query.where(time, '<', fetchedBefore ?? 0))
      .$if(fetchedAfter !== undefined, (query) => query.where(time, '>=', fetchedAfter ?? 0))
      .$if(cursor !== null && cursor !== undefined, (query) =>
        query.where(
          sql<SqlBool>`(${time}, entities.id) ${sql.raw(beyond)} (${cursor?.fetchedAt ?? 0}, ${cursor?.entityId ?? 0})`,
        ),
      )
      .$if(trimmed !== '', (query) => query.where(matches(dialect, kind, trimmed, search.identifiers ?? [])))
      .orderBy(time, direction)
      .orderBy('entities.id', direction)
      .limit(limit + 1)
  )
}

/** Every branch reads one range of an index. */
function matches(
  dialect: Connection['dialect'],
  kind: Kind,
  text: string,
  identifiers: readonly Identifier[],
): RawBuilder<SqlBool> {
  const slug = foldAlias({ type: 'slug', value: text }).value
  const branches = [
    sql`select id from entities where kind = ${kind} and ${dialect.beginsWith('name', foldText(text))}`,
    sql`select entity_id from aliases where kind = ${kind} and type = 'slug' and ${dialect.beginsWith('value', slug)}`,
    // The index begins with the type. There are few types, so each is looked up separately.
    sql`select aliases.entity_id from (${aliasTypes(kind)}) as known cross join aliases
      where aliases.kind = ${kind} and aliases.type = known.type and aliases.value in (${text}, ${slug})`,
    ...identifiers
      .filter((one) => one.kind === kind)
      .map(({ type, value }) => {
        return sql`select entity_id from aliases where kind = ${kind} and type = ${type} and value = ${value}`
      }),
    ...byWords(kind, foldedWords(text)),
  ]
  return sql<SqlBool>`entities.id in (${sql.join(branches, sql` union `)})`
}

/** The existing alias types, found with one index probe each. */
function aliasTypes(kind: Kind): RawBuilder<unknown> {
  const next = (after: RawBuilder<unknown>) => sql`(select min(type) from aliases where kind = ${kind} and ${after})`
  return sql`with recursive types (type) as (
      select ${next(sql`type > ''`)}
      union all select ${next(sql`aliases.type > types.type`)} from types where types.type is not null
    ) select type from types where type is not null`
}

/** Records that contain all of the words as prefixes of their words. */
function byWords(kind: Kind, words: readonly string[]): RawBuilder<unknown>[] {
  if (words.length === 0) return []
  const each = words.slice(0, 8).map(
    (word) => sql`
      select entity_id from entity_words where kind = ${kind} and word >= ${word} and word < ${`${word}\u{10FFFF}`}`,
  )
  return [sql`select entity_id from (${sql.join(each, sql` intersect `)}) as by_words`]
}
