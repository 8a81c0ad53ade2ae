import { randomUUID } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import type { Connection, Database, Tx } from '../../database/dialect.ts'
import { isLockTimeout } from '../../database/lost-connection.ts'
import { briefLockMs, isUnread } from '../../database/postgres/brief-lock.ts'
import type { Tables } from '../../database/tables/tables.ts'

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
]

/**
 * The tables that still have to be rewritten. Each erasure sets a new mark, so that a rewrite that began before it does
 * not clear it.
 */
type Marks = Record<string, string>
const setting = 'erasure.tables_left'

/** Tables that were rewritten, and tables that still contain deleted rows. */
export interface Rewritten {
  done: string[]
  left: string[]
}

/**
 * Rewrites the PostgreSQL tables with personal data, because a plain VACUUM only marks space as free. If another
 * transaction may still see deleted rows or has locked a table, nobody waits for it: the table is recorded, and
 * `rewriteTablesLeft` rewrites it later.
 */
export async function rewriteTables(database: Database): Promise<Rewritten> {
  const tables = await database.read(tablesOf)
  const mark = randomUUID()
  await changeMarks(database, (marks) => {
    for (const table of tables) marks[table] = mark
  })
  return rewriteMarked(database, tables)
}

/** Retries the tables that earlier erasures could not rewrite. */
export async function rewriteTablesLeft(database: Database, _args: null): Promise<Rewritten> {
  if (database.dialect === 'sqlite') return { done: [], left: [] }
  return rewriteMarked(database, Object.keys(await database.read(readMarks)))
}

async function rewriteMarked(database: Database, tables: readonly string[]): Promise<Rewritten> {
  const rewritten: Rewritten = { done: [], left: [] }
  if (tables.length === 0) return rewritten
  if (!(await database.read(({ db }) => isUnread(db)))) return { done: [], left: [...tables] }
  for (const table of tables) {
    const { [table]: mark } = await database.read(readMarks)
    // Another node has rewritten it meanwhile.
    const isDone =
      mark === undefined || (await database.single(({ db }) => rewrite(db, table, database.isPooled === true)))
    if (isDone) await changeMarks(database, (marks) => void (marks[table] === mark && delete marks[table]))
    rewritten[isDone ? 'done' : 'left'].push(table)
  }
  return rewritten
}

/**
 * False if the table could not be locked. A new file is the proof, because with `skip_locked` there would be only a
 * warning.
 */
async function rewrite(db: Tx, table: string, isPooled: boolean): Promise<boolean> {
  return db.connection().execute(async (connection) => {
    const file = async () => {
      const { rows } = await sql<{ file: string }>`select pg_relation_filenode(${table}) as file`.execute(connection)
      return rows[0]?.file
    }
    const before = await file()
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

/** One partition at a time: if one of them is locked, the others are still rewritten. */
async function tablesOf({ db }: Connection): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name from pg_class child
      left join pg_inherits on inhrelid = child.oid left join pg_class parent on parent.oid = inhparent
    where child.relkind = 'r' and child.relnamespace = current_schema()::regnamespace
      and coalesce(parent.relname, child.relname) in (${sql.join(personal)}) order by child.relname`.execute(db)
  return rows.map(({ name }) => name)
}

async function readMarks({ db }: Connection): Promise<Marks> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', setting).executeTakeFirst()
  return JSON.parse(row?.value ?? '{}') as Marks
}

async function changeMarks(database: Database, change: (marks: Marks) => void): Promise<void> {
  await database.write(async ({ db: tx }) => {
    await tx
      .insertInto('settings')
      .values({ name: setting, value: '{}' })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    const query = tx.selectFrom('settings').select('value').where('name', '=', setting).forUpdate()
    const marks = JSON.parse((await query.executeTakeFirstOrThrow()).value) as Marks
    change(marks)
    await tx
      .updateTable('settings')
      .set({ value: JSON.stringify(marks) })
      .where('name', '=', setting)
      .execute()
  })
}
