import type { Kind } from '@vitae/contract'
import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Dialect, Tx } from '../../database/engine/dialect.ts'
import type { SuppressionRow } from '../../database/tables/records.ts'
import { runPrepared, inChunks, padded } from '../../database/sql/prepared.ts'
import { holdRecords } from '../rows/locks.ts'

export interface Suppression {
  hash: string
  kind: Kind
  /** `erasure`, `operator` or the name of a feed. */
  origin: string
  reason: string | null
  createdAt: number
  /** Equal for all names of one subject; null if no other name is known. */
  subject?: string | null
}

interface Act {
  actor: string
  at: number
}

/** Whether any of the names is on the list. */
export async function anySuppressed(tx: Tx, dialect: Dialect, hashes: readonly string[]): Promise<boolean> {
  const found = await suppressedAmong(tx, dialect, hashes)
  return found.size > 0
}

/** The names that are on the list. */
export async function suppressedAmong(tx: Tx, dialect: Dialect, hashes: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (const chunk of inChunks(hashes, 1_000)) {
    const some = padded(chunk)
    const text = { text: 'select hash from suppressions where hash in ([items])', item: '?', count: some.length }
    const rows = await runPrepared<{ hash: string }>(tx, dialect, text, some)
    for (const row of rows) found.add(row.hash)
  }
  return found
}

/** Whether any of the names is on the list or is known to lead to a suppressed subject. */
export async function isSuppressed({ db, dialect }: Connection, { hashes }: { hashes: string[] }): Promise<boolean> {
  if (await anySuppressed(db, dialect, hashes)) return true
  return (await hiddenMissesAmong(db, dialect, hashes)).size > 0
}

interface Added {
  hashes: string[]
  subjects?: string[][]
  kind: Kind
  origin: string
  reason: string | null
  /** The erasure of the names follows. */
  beginsErasure?: boolean
}

/**
 * Adds names to the list; the names of one `subjects` entry belong together. Stored data under them is no longer
 * served, but only an erasure removes it.
 */
export async function addSuppressions({ db: tx, dialect }: Connection, args: Added & Act): Promise<{ added: number }> {
  const { hashes, subjects = [], kind, origin, reason, beginsErasure = false, actor, at } = args
  await holdRecords(tx, dialect)
  const added = await insertSuppressions(
    tx,
    hashes.map((hash) => ({ hash, kind, origin, reason, createdAt: at })),
    beginsErasure ? null : 0,
  )
  await linkNames(tx, subjects)
  await appendAudit(tx, dialect, { at, actor, action: 'suppressions.add', reason, after: { kind, origin, added } })
  return { added }
}

/** The list entries of some names and of all other names of their subjects. */
export async function suppressionsOfSubjects(
  { db }: Connection,
  { hashes }: { hashes: string[] },
): Promise<Suppression[]> {
  const found = new Map<string, Suppression>()
  for (const chunk of inChunks(hashes, 500)) {
    const subjects = db.selectFrom('suppressions').select('subject').where('hash', 'in', chunk)
    // A union of two queries: with a single `or` condition PostgreSQL reads the whole list.
    const rows = await db
      .selectFrom('suppressions')
      .selectAll()
      .where('hash', 'in', chunk)
      .union(db.selectFrom('suppressions').selectAll().where('subject', 'in', subjects))
      .orderBy('created_at')
      .orderBy('hash')
      .execute()
    for (const row of rows) found.set(row.hash, suppressionOf(row))
  }
  return [...found.values()]
}

/** Removes names from the list; hidden misses are deleted, so they can be requested again. */
export async function removeSuppressions(
  { db: tx, dialect }: Connection,
  { hashes, reason, actor, at }: { hashes: string[]; reason: string | null } & Act,
): Promise<{ removed: number }> {
  let removed = 0
  for (const chunk of inChunks(hashes, 1_000)) {
    const result = await tx.deleteFrom('suppressions').where('hash', 'in', chunk).executeTakeFirst()
    removed += Number(result.numDeletedRows)
    await tx.deleteFrom('hidden_misses').where('hash', 'in', chunk).execute()
  }
  await appendAudit(tx, dialect, { at, actor, action: 'suppressions.remove', reason, after: { removed } })
  return { removed }
}

interface Page {
  /** Only entries added at or after this time. */
  since?: number
  /** The hash and time of the last row of the previous page. */
  cursor?: { createdAt: number; hash: string } | null
  limit: number
  kind?: Kind
  origin?: string
  order?: 'newest' | 'oldest'
}

export interface SuppressionPage {
  items: Suppression[]
  next: { createdAt: number; hash: string } | null
}

/**
 * The suppression list, oldest first, in pages. It also serves as the feed of erased names for holders of copies of our
 * data.
 */
export async function listSuppressions(
  { db }: Connection,
  { since, cursor, limit, kind, origin, order }: Page,
): Promise<SuppressionPage> {
  const [beyond, direction] = order === 'newest' ? (['<', 'desc'] as const) : (['>', 'asc'] as const)
  const rows = await db
    .selectFrom('suppressions')
    .selectAll()
    .$if(since !== undefined, (query) => query.where('created_at', '>=', since ?? 0))
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'people'))
    .$if(origin !== undefined, (query) => query.where('origin', '=', origin ?? ''))
    .$if(Boolean(cursor), (query) =>
      query.where((eb) =>
        eb.or([
          eb('created_at', beyond, cursor?.createdAt ?? 0),
          eb.and([eb('created_at', '=', cursor?.createdAt ?? 0), eb('hash', beyond, cursor?.hash ?? '')]),
        ]),
      ),
    )
    .orderBy('created_at', direction)
    .orderBy('hash', direction)
    .limit(limit)
    .execute()
  const items = rows.map(suppressionOf)
  const last = items.at(-1)
  return { items, next: last && items.length === limit ? { createdAt: last.createdAt, hash: last.hash } : null }
}

/** Adds an exported list unchanged: a restored backup gets the current list before it serves. */
export async function importSuppressions(
  { db: tx, dialect }: Connection,
  { items, actor, at }: { items: Suppression[] } & Act,
): Promise<{ added: number }> {
  await holdRecords(tx, dialect)
  const added = await insertSuppressions(tx, items)
  const named = Map.groupBy(items, ({ subject }) => subject ?? null)
  named.delete(null)
  await linkNames(
    tx,
    [...named.values()].map((names) => names.map(({ hash }) => hash)),
  )
  await appendAudit(tx, dialect, { at, actor, action: 'suppressions.import', after: { added } })
  return { added }
}

/**
 * Records, in the caller's transaction, which names belong to one subject. Known subjects of these names are merged.
 */
export async function linkNames(tx: Tx, subjects: readonly (readonly string[])[]): Promise<void> {
  for (const hashes of subjects) {
    const rows = await tx.selectFrom('suppressions').select('subject').where('hash', 'in', hashes).execute()
    const known = [...new Set(rows.flatMap(({ subject }) => subject ?? []))].toSorted()
    const subject = known[0] ?? hashes.toSorted()[0]
    if (subject === undefined || (hashes.length < 2 && known.length === 0)) continue
    await tx
      .updateTable('suppressions')
      .set({ subject })
      .where((eb) => eb.or([eb('hash', 'in', hashes), ...(known.length > 0 ? [eb('subject', 'in', known)] : [])]))
      .execute()
  }
}

type StoredSuppression = Omit<SuppressionRow, 'rewrite_number'> & { rewrite_number?: unknown }

function suppressionOf({ created_at: createdAt, rewrite_number: _number, ...row }: StoredSuppression): Suppression {
  return { ...row, createdAt }
}

/** Adds entries in the caller's transaction; existing entries keep their date and origin. */
export async function insertSuppressions(
  tx: Tx,
  items: readonly Suppression[],
  rewriteNumber: number | null = 0,
): Promise<number> {
  let added = 0
  for (const chunk of inChunks(items, 500)) {
    const rows = chunk.map(({ createdAt, subject = null, ...row }) => ({
      ...row,
      subject,
      created_at: createdAt,
      rewrite_number: rewriteNumber,
    }))
    const result = await tx
      .insertInto('suppressions')
      .values(rows)
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .executeTakeFirst()
    added += Number(result.numInsertedOrUpdatedRows ?? 0)
  }
  return added
}

/** Notes the rewrite that removes the last bytes of erased subjects; 0 if there is nothing to remove. */
export async function noteRewrite(tx: Tx, hashes: readonly string[], number: number): Promise<void> {
  for (const chunk of inChunks(hashes, 1_000))
    await tx.updateTable('suppressions').set({ rewrite_number: number }).where('hash', 'in', chunk).execute()
}

/*
 * A name that no provider knows is remembered as a miss. A name of a suppressed subject must behave the same, even
 * after a restart and on other nodes, but must not be stored. So its keyed hash is stored with the time.
 */
const note = 'insert into hidden_misses (hash, at) values (?, ?) on conflict (hash) do update set at = excluded.at'

/** Stores a hidden miss in the caller's transaction. */
export async function insertHiddenMiss(tx: Tx, dialect: Dialect, hash: string, at: number): Promise<void> {
  await runPrepared(tx, dialect, note, [hash, at])
}

/** Stores a hidden miss before the call is answered, as for a provider's miss. */
export async function noteHiddenMiss(
  { db, dialect }: Connection,
  { hash, at }: { hash: string; at: number },
): Promise<void> {
  await insertHiddenMiss(db, dialect, hash, at)
}

/** When each of some names was last requested without an answer, for hidden misses. */
export async function hiddenMissesAmong(
  db: Connection['db'],
  dialect: Dialect,
  hashes: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const chunk of inChunks(hashes, 1_000)) {
    const some = padded(chunk)
    const text = { text: 'select hash, at from hidden_misses where hash in ([items])', item: '?', count: some.length }
    const rows = await runPrepared<{ hash: string; at: number }>(db, dialect, text, some)
    for (const { hash, at } of rows) found.set(hash, at)
  }
  return found
}

/** Deletes a chunk of hidden misses from before a given time. */
export async function forgetHiddenMisses(tx: Tx, { before, limit }: { before: number; limit: number }): Promise<void> {
  const old = tx.selectFrom('hidden_misses').select('hash').where('at', '<', before).limit(limit)
  await tx.deleteFrom('hidden_misses').where('hash', 'in', old).execute()
}
