import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { Kysely, sql, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely'
import { pack } from '../../packing/pack.ts'
import { rowChecksum } from '../../packing/row-checksum.ts'
import type { RunStatement, Tx, Dialect } from '../../engine/dialect.ts'
import type { Tables } from '../../tables/tables.ts'

const preparedAtMost = 500
const usualCacheBytes = 16 * 1_048_576
/** How long another program may hold a lock. */
export const busyTimeoutMs = 5_000

/**
 * Opens the embedded engine. FULL is set on every connection: NORMAL loses acknowledged commits in a power cut. Only
 * `executor.ts` deviates, for commits after which nothing is answered.
 */
export function openSqlite(path: string, cacheBytes = usualCacheBytes): { db: Tx; raw: DatabaseSync } {
  const raw = new DatabaseSync(path, { timeout: busyTimeoutMs })
  raw.exec('pragma page_size = 4096')
  // In pages: 16 MB of log before a checkpoint copies it into the database, which costs two fsyncs.
  raw.exec('pragma wal_autocheckpoint = 4000')
  raw.exec('pragma journal_mode = wal')
  raw.exec('pragma synchronous = full')
  raw.exec('pragma secure_delete = on')
  // A negative value is in KiB.
  raw.exec(`pragma cache_size = -${Math.ceil(cacheBytes / 1_024)}`)
  raw.exec('pragma temp_store = memory')
  return { db: overStatements(kyselyDatabase(raw)), raw }
}

/** Opens it read-only, in a separate process. */
export function openToRead(path: string): Tx {
  const raw = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  raw.exec(`pragma cache_size = -${usualCacheBytes / 1_024}`)
  raw.exec('pragma temp_store = memory')
  return overStatements(kyselyDatabase(raw))
}

/** Both ways to run SQL over one connection. The executor decides who uses it. */
export function overStatements(database: Omit<SqliteDatabase, 'prepare'> & { prepare(text: string): Statement }): Tx {
  const run: RunStatement = (text, parameters) => database.prepare(text).now(parameters)
  return Object.assign(new Kysely<Tables>({ dialect: new SqliteDialect({ database }) }), { run, send: run })
}

/** The file that the embedded engine has open. */
export async function mainFile(db: Tx): Promise<string> {
  const { rows } = await sql<{ name: string; file: string }>`pragma database_list`.execute(db)
  return rows.find((row) => row.name === 'main')?.file ?? ''
}

/** `node:sqlite` in the form that Kysely's dialect expects, with cached prepared statements. */
export function kyselyDatabase(
  raw: DatabaseSync,
): Omit<SqliteDatabase, 'prepare'> & { prepare(text: string): Statement } {
  const prepared = new Map<string, Statement>()
  return {
    close: () => raw.close(),
    prepare(text) {
      const known = prepared.get(text)
      if (known) return known
      if (prepared.size >= preparedAtMost) prepared.clear()
      const statement = text === 'rollback' ? rollbackOf(raw) : kyselyStatement(raw.prepare(text))
      // Some pragmas take effect only when they are prepared.
      if (!text.startsWith('pragma')) prepared.set(text, statement)
      return statement
    },
  }
}

interface Statement extends SqliteStatement {
  /** Bypasses Kysely for values that the engine can bind directly: a settlement has a thousand parameters and more. */
  now(parameters: Parameters<RunStatement>[1]): unknown[]
}

function kyselyStatement(statement: StatementSync): Statement {
  const reader = statement.columns().length > 0
  return {
    reader,
    all: (parameters) => statement.all(...bindable(parameters)),
    run: (parameters) => statement.run(...bindable(parameters)),
    iterate: (parameters) => statement.iterate(...bindable(parameters)),
    now(parameters) {
      if (reader) return statement.all(...parameters)
      statement.run(...parameters)
      return []
    },
  }
}

/**
 * A rollback without a transaction does nothing: the engine itself rolls back on some errors, such as a full disk. The
 * caller must get that error, and not one about the rollback.
 */
function rollbackOf(raw: DatabaseSync): Statement {
  const statement = kyselyStatement(raw.prepare('rollback'))
  const nothing = { changes: 0, lastInsertRowid: 0 }
  return {
    ...statement,
    run: (parameters) => (raw.isTransaction ? statement.run(parameters) : nothing),
    now: (parameters) => (raw.isTransaction ? statement.now(parameters) : []),
  }
}

function bindable(parameters: readonly unknown[]): SQLInputValue[] {
  // The store binds only numbers, texts, blobs and null.
  return parameters.map((value) => (value === undefined ? null : value)) as SQLInputValue[]
}

const nothing = async () => undefined

/** The dialect of the embedded engine, whose single connection runs one transaction after another. */
export const sqliteDialect: Dialect = {
  name: 'sqlite',
  locksRows: false,
  hasMonths: false,
  columnTypes: { blob: 'blob', autoId: 'integer primary key autoincrement' },
  pack,
  checksum: rowChecksum,

  placeholders: (text) => text,

  lock: (query) => query,
  lockRows: nothing,
  advisoryLock: nothing,
  sharedLock: nothing,
  advisoryLocks: nothing,
  advisoryGroupLock: nothing,
  limitStatements: () => undefined,
  snapshot: (begin) => begin,

  now: () => sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  jsonText: (column, path) =>
    sql<string | null>`cast(json_extract(${sql.ref(column)}, ${sql.lit(`$.${path.join('.')}`)}) as text)`,
  // Compared as bytes: nothing that begins with the prefix sorts after the highest code point.
  beginsWith: (column, prefix) =>
    sql`(${sql.ref(column)} >= ${prefix} and ${sql.ref(column)} < ${`${prefix}\u{10FFFF}`})`,
  isAmong: (column, _type, values) =>
    sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`,
  containsBytes: (column, bytes) => sql`instr(${sql.ref(column)}, ${bytes}) > 0`,
  isSelected: (column, select) => sql<boolean>`${sql.ref(column)} in ${select}`,
  joinSelected: (table, ids) => sql`join ${sql.table(table)} on ${sql.ref(`${table}.id`)} in (${ids})`,
  utcMonth: (at) => sql<string>`strftime('%Y-%m', ${at} / 1000, 'unixepoch')`,
  byBytes: (text) => sql<string>`${text}`,
  joinTexts: (text, separator) => sql<string | null>`group_concat(${text}, ${sql.lit(separator)})`,
}
