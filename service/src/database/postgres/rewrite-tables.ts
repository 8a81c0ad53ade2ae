import { sql, type Kysely } from 'kysely'
import type { Connection, Database, Tx } from '../engine/dialect.ts'
import { isLockTimeout } from '../engine/lost-connection.ts'
import { briefLockMs, isUnread } from '../engine/brief-lock.ts'
import type { Tables } from '../tables/tables.ts'

/** The tables with personal data. */
const personal = [
  'entities',
  'entity_words',
  'aliases',
  'former_aliases',
  'contact_index',
  'versions',
  'fetches',
  'payloads',
  'mentions',
  'calls',
  'call_details',
  'idempotency',
  'watches',
  'recipients',
  'batch_rows',
  'batch_results',
  'events',
  'webhook_deliveries',
  'webhook_retries',
  'exports',
  'export_parts',
]

/**
 * The tables with deleted rows, each with the numbers of the rewrites that must remove them: `{ versions: '7 8' }`. Its
 * row is locked by everyone who changes it, so a rewrite contains every deletion that was noted before it began. A
 * number that is a text was written by an older node, which rewrites the table at once.
 */
type Marks = Record<string, string>
const setting = 'erasure.tables_left'

/** Tables that were rewritten, and tables that still contain deleted rows. */
export interface Rewritten {
  done: string[]
  left: string[]
}

/** The deleted rows that are still in files of PostgreSQL. */
export interface BytesLeft {
  tables: string[]
  /** When the first of them was deleted. */
  since: number
  /** A rewrite of them has begun, and could not finish. */
  hasBegun: boolean
}

/**
 * Notes, in the transaction of a deletion, the tables that it changed: a plain VACUUM only marks their space as free.
 * Returns the number of the rewrite that will have removed all noted rows; null if no rows wait for one.
 */
export async function noteDeleted(tx: Tx, at: number): Promise<number | null> {
  const tables = await changedTables(tx)
  if (tables.length > 0)
    await changeMarks(tx, async (marks) => {
      const number = String(await openRewrite(tx, at))
      for (const table of tables) marks[table] = [...new Set([...numbersIn(marks[table]), number])].join(' ')
    })
  const open = tx.selectFrom('rewrites').where('ended_at', 'is', null)
  return (await open.select((eb) => eb.fn.max<number | null>('number').as('number')).executeTakeFirst())?.number ?? null
}

/** The next rewrite; a rewrite that has begun takes no more deletions. */
async function openRewrite(tx: Tx, since: number): Promise<number> {
  const open = await tx.selectFrom('rewrites').select('number').where('began_at', 'is', null).executeTakeFirst()
  if (open) return open.number
  const last = await tx.selectFrom('rewrites').select('number').orderBy('number', 'desc').limit(1).executeTakeFirst()
  const number = (last?.number ?? 0) + 1
  await tx.insertInto('rewrites').values({ number, since, began_at: null, ended_at: null }).execute()
  return number
}

/** The deleted rows that a rewrite has yet to remove; null if nothing is left to remove. */
export async function readBytesLeft({ db }: Connection): Promise<BytesLeft | null> {
  const tables = Object.keys(await readMarks(db))
  const open = await db.selectFrom('rewrites').selectAll().where('ended_at', 'is', null).orderBy('number').execute()
  const [first] = open
  if (!first && tables.length === 0) return null
  return { tables: tables.toSorted(), since: first?.since ?? 0, hasBegun: first?.began_at !== null }
}

/**
 * Rewrites the tables with deleted rows. If another transaction may still see such rows or has locked a table, nobody
 * waits for it: the table is left for the next attempt.
 */
export async function rewriteTables(database: Database, now: number): Promise<Rewritten> {
  const upTo = await database.write(({ db: tx }) => beginRewrite(tx, now))
  const tables = Object.keys(await database.read(({ db }) => readMarks(db))).toSorted()
  const rewritten: Rewritten = { done: [], left: [] }
  if (tables.length > 0 && !(await database.read(({ db }) => isUnread(db)))) return { done: [], left: tables }
  for (const table of tables) {
    const { [table]: mark } = await database.read(({ db }) => readMarks(db))
    // Another node has rewritten it meanwhile.
    const isDone =
      mark === undefined || (await database.single(({ db }) => rewrite(db, table, database.isPooled === true)))
    if (isDone) await database.write(({ db: tx }) => changeMarks(tx, (marks) => clearMark(marks, table, upTo)))
    rewritten[isDone ? 'done' : 'left'].push(table)
  }
  return rewritten
}

/** Notes the end of rewrites whose last table was rewritten. */
export async function endRewrites(tx: Tx, now: number): Promise<void> {
  await changeMarks(tx, async (marks) => {
    const left = Object.values(marks).flatMap(numbersIn).map(Number).filter(Number.isInteger)
    await tx
      .updateTable('rewrites')
      .set({ ended_at: now })
      .where('began_at', 'is not', null)
      .where('ended_at', 'is', null)
      .where('number', 'not in', [...left, 0])
      .execute()
  })
}

/** Closes the open rewrite to further deletions; returns the newest number that this one covers. */
async function beginRewrite(tx: Tx, now: number): Promise<number> {
  let upTo = 0
  await changeMarks(tx, async () => {
    await tx.updateTable('rewrites').set({ began_at: now }).where('began_at', 'is', null).execute()
    const last = await tx.selectFrom('rewrites').select('number').orderBy('number', 'desc').limit(1).executeTakeFirst()
    upTo = last?.number ?? 0
  })
  return upTo
}

function clearMark(marks: Marks, table: string, upTo: number): void {
  const later = numbersIn(marks[table]).filter((number) => Number(number) > upTo)
  if (later.length > 0) marks[table] = later.join(' ')
  else delete marks[table]
}

function numbersIn(mark: string | undefined): string[] {
  return mark?.split(' ') ?? []
}

/**
 * False if the table could not be locked. A new file is the proof, because with `skip_locked` there would be only a
 * warning.
 */
async function rewrite(db: Tx, table: string, isPooled: boolean): Promise<boolean> {
  return db.connection().execute(async (connection) => {
    const file = async () => {
      const { rows } = await sql<{ file: string }>`select pg_relation_filenode(to_regclass(${table})) as file`.execute(
        connection,
      )
      return rows[0]?.file
    }
    const before = await file()
    // A month that retention has dropped.
    if (before === undefined || before === null) return true
    // Behind a pooler, a session setting may apply to another session.
    if (isPooled) await sql`vacuum (full, skip_locked) ${sql.table(table)}`.execute(connection)
    else if (!(await rewriteInSession(connection, table))) return false
    return (await file()) !== before
  })
}

async function rewriteInSession(connection: Kysely<Tables>, table: string): Promise<boolean> {
  await sql.raw(`set statement_timeout = 0; set lock_timeout = ${briefLockMs}`).execute(connection)
  try {
    await sql`vacuum (full) ${sql.table(table)}`.execute(connection)
    return true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  } finally {
    await sql.raw('reset statement_timeout; reset lock_timeout').execute(connection)
  }
}

/**
 * The tables that this transaction has changed, by PostgreSQL's own counters: each partition is a table. They may
 * include tables of an earlier transaction of the session. Without counters, all tables with personal data.
 */
async function changedTables(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name from pg_class child
      left join pg_inherits on inhrelid = child.oid left join pg_class parent on parent.oid = inhparent
    where child.relkind = 'r' and child.relnamespace = current_schema()::regnamespace
      and coalesce(parent.relname, child.relname) in (${sql.join(personal)})
      and (current_setting('track_counts') = 'off'
        or pg_stat_get_xact_tuples_updated(child.oid) + pg_stat_get_xact_tuples_deleted(child.oid) > 0)`.execute(tx)
  return rows.map(({ name }) => name)
}

async function readMarks(db: Tx): Promise<Marks> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', setting).executeTakeFirst()
  return JSON.parse(row?.value ?? '{}') as Marks
}

/** Changes the marks while their row is locked. */
async function changeMarks(tx: Tx, change: (marks: Marks) => void | Promise<void>): Promise<void> {
  await tx
    .insertInto('settings')
    .values({ name: setting, value: '{}' })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const query = tx.selectFrom('settings').select('value').where('name', '=', setting).forUpdate()
  const marks = JSON.parse((await query.executeTakeFirstOrThrow()).value) as Marks
  await change(marks)
  await tx
    .updateTable('settings')
    .set({ value: JSON.stringify(marks) })
    .where('name', '=', setting)
    .execute()
}
