import { sql, type Insertable, type RawBuilder, type Selectable, type SqlBool } from 'kysely'
import type { Kind } from '@vitae/contract'
import type { Dialect, Tx } from '../../database/engine/dialect.ts'
import { runPrepared } from '../../database/sql/prepared.ts'
import type { Tables } from '../../database/tables/tables.ts'
import { clocksDifferMs } from '../../foundation/clock.ts'
import type { Alias } from '../../foundation/identifier.ts'
import type { Denials } from '../../foundation/environments/route.ts'
import { aliasText } from '../identifiers/alias.ts'

/**
 * The condition that an alias is one of those given. It uses a list of rows, because for a chain of `or` SQLite would
 * read every alias of the kind.
 */
export function aliasIn(kind: Kind, aliases: readonly Alias[]): RawBuilder<SqlBool> {
  const rows = aliases.map(({ type, value }) => sql`(${kind}, ${type}, ${value})`)
  return sql<SqlBool>`(kind, type, value) in (values ${sql.join(rows)})`
}

const pointAliases = `
  insert into aliases (kind, type, value, entity_id, seen_at, withdrawn) values [items]
  on conflict (kind, type, value) do update
  set entity_id = excluded.entity_id, withdrawn = 0, not_found_at = null, seen_at = excluded.seen_at
  where aliases.seen_at <= excluded.seen_at or aliases.seen_at > ?
  returning value`
const selectFormer = `
  select kind, type, value, entity_id from aliases
  where (kind, type, value) in (values [items]) and entity_id <> ? and (seen_at <= ? or seen_at > ?)`

interface Claim {
  kind: Kind
  aliases: readonly Alias[]
  /** `contested`: other entities hold some of its names, or held them until this write. */
  entity: { id: number; contested: boolean }
  at: number
  /** Entries with a later time were written by a clock that was ahead, and are overwritten. */
  now: number
}

/**
 * Assigns names to the entity that was just fetched under them and lets them be served again. A name follows the newest
 * fetch, so a name with newer information is not changed.
 */
export async function claimAliases(tx: Tx, dialect: Dialect, claim: Claim): Promise<void> {
  const { kind, entity, at } = claim
  if (entity.contested) await rememberFormerHolders(tx, dialect, claim)
  const rows = claim.aliases
    .toSorted((a, b) => (aliasText(a) < aliasText(b) ? -1 : 1))
    .flatMap(({ type, value }) => [kind, type, value, entity.id, at])
  const text = { text: pointAliases, item: '(?, ?, ?, ?, ?, 0)', count: claim.aliases.length }
  const taken = await runPrepared(tx, dialect, text, [...rows, claim.now + clocksDifferMs])
  if (taken.length < claim.aliases.length) await rememberOvertaken(tx, claim)
}

/**
 * Records the names with newer information as former names: callers that asked by one of them were served this entity.
 */
async function rememberOvertaken(tx: Tx, { kind, aliases, entity: { id }, at }: Claim): Promise<void> {
  const known = await tx
    .selectFrom('aliases')
    .select(['type', 'value', 'entity_id'])
    .where(aliasIn(kind, aliases))
    .execute()
  const overtaken = known.filter((one) => one.entity_id !== id)
  await noteFormer(
    tx,
    overtaken.map(({ type, value }) => ({ kind, type, value, entity_id: id, until: at })),
  )
}

/** Records the former holders of a name: an erasure must find every entity that ever held it. */
async function rememberFormerHolders(
  tx: Tx,
  dialect: Dialect,
  { kind, aliases, entity, at, now }: Claim,
): Promise<void> {
  const text = { text: selectFormer, item: '(?, ?, ?)', count: aliases.length }
  const lost = await runPrepared<Selectable<Tables['aliases']>>(tx, dialect, text, [
    ...aliases.flatMap(({ type, value }) => [kind, type, value]),
    entity.id,
    at,
    now + clocksDifferMs,
  ])
  await noteFormer(
    tx,
    lost.map(({ kind, type, value, entity_id }) => ({ kind, type, value, entity_id: entity_id ?? 0, until: at })),
  )
}

async function noteFormer(tx: Tx, rows: Insertable<Tables['former_aliases']>[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('former_aliases')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Remembers that the provider has no such record. The copy under this name is not served until a fetch brings it back.
 */
export async function withdrawAlias(
  tx: Tx,
  { kind, alias, at }: { kind: Kind; alias: Alias; at: number },
): Promise<void> {
  const { type, value } = alias
  await tx
    .insertInto('aliases')
    .values({ kind, type, value, entity_id: null, withdrawn: 1, not_found_at: at, seen_at: at })
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'type', 'value'])
        .doUpdateSet({ withdrawn: 1, not_found_at: at, seen_at: at })
        // A time in the future was written by a clock that was ahead.
        .where(({ or, eb }) => or([eb('aliases.seen_at', '<=', at), eb('aliases.seen_at', '>', at + clocksDifferMs)])),
    )
    .execute()
}

/**
 * Remembers that some providers have no such record. This counts for environments that may be answered only by these.
 */
export async function noteDenials(
  tx: Tx,
  { kind, alias, at, providers }: { kind: Kind; alias: Alias; at: number; providers: readonly string[] },
): Promise<void> {
  const { type, value } = alias
  const row = await tx
    .selectFrom('aliases')
    .select('denials')
    .where('kind', '=', kind)
    .where('type', '=', type)
    .where('value', '=', value)
    .executeTakeFirst()
  const denials = JSON.stringify({
    ...readDenials(row?.denials ?? null),
    ...Object.fromEntries(providers.map((provider) => [provider, at])),
  })
  await tx
    .insertInto('aliases')
    // Nothing was learned about the name's holder, so any fetch may take it.
    .values({ kind, type, value, entity_id: null, withdrawn: 0, not_found_at: null, seen_at: 0, denials })
    .onConflict((conflict) => conflict.columns(['kind', 'type', 'value']).doUpdateSet({ denials }))
    .execute()
}

/** Parses what `noteDenials` wrote. */
export function readDenials(text: string | null): Denials | undefined {
  return text === null ? undefined : (JSON.parse(text) as Denials)
}

/** The entity that holds a name now, even if its copy is withdrawn. */
export async function holderOf(tx: Tx, kind: Kind, { type, value }: Alias): Promise<number | null> {
  const row = await tx
    .selectFrom('aliases')
    .select('entity_id')
    .where('kind', '=', kind)
    .where('type', '=', type)
    .where('value', '=', value)
    .executeTakeFirst()
  return row?.entity_id ?? null
}
