import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { sql, type Kysely, type SqliteDatabase, type SqliteStatement } from 'kysely'
import type { Direct, RunStatement } from '../dialect.ts'
import type { Tables } from '../tables/tables.ts'
import { overOneConnection } from './one-connection.ts'

const preparedAtMost = 500
const usualCacheBytes = 16 * 1_048_576

/**
 * Opens the embedded engine. FULL is set on every connection: NORMAL loses acknowledged commits in a power cut. Only
 * `group-commit.ts` leaves it, for commits that nothing is answered on.
 */
export function openSqlite(
  path: string,
  cacheBytes = usualCacheBytes,
): { db: Kysely<Tables>; raw: DatabaseSync; direct: Direct; onCommit(listener: () => void): void } {
  const raw = new DatabaseSync(path, { timeout: 5_000 })
  raw.exec('pragma page_size = 4096')
  // In pages: 16 MB of log before a checkpoint copies it into the database, which costs two fsyncs.
  raw.exec('pragma wal_autocheckpoint = 4000')
  raw.exec('pragma journal_mode = wal')
  raw.exec('pragma synchronous = full')
  raw.exec('pragma secure_delete = on')
  // In KiB where it is negative.
  raw.exec(`pragma cache_size = -${Math.ceil(cacheBytes / 1_024)}`)
  raw.exec('pragma temp_store = memory')
  let committed: (() => void) | null = null
  const database = kyselyDatabase(raw, () => committed?.())
  const run: RunStatement = (text, parameters) => {
    if (!text.startsWith('pragma')) return database.prepare(text).now(parameters)
    raw.exec(text)
    return []
  }
  return { ...overOneConnection({ database }, run), raw, onCommit: (listener) => (committed = listener) }
}

/** The file that the embedded engine has open. */
export async function mainFile(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ name: string; file: string }>`pragma database_list`.execute(db)
  return rows.find((row) => row.name === 'main')?.file ?? ''
}

/** `node:sqlite` in the form that Kysely's dialect expects, with prepared statements kept. */
export function kyselyDatabase(
  raw: DatabaseSync,
  committed: () => void,
): Omit<SqliteDatabase, 'prepare'> & { prepare(text: string): Statement } {
  const prepared = new Map<string, Statement>()
  return {
    close: () => raw.close(),
    prepare(text) {
      const known = prepared.get(text)
      if (known) return known
      if (prepared.size >= preparedAtMost) prepared.clear()
      const statement = statementOf(raw, text, committed)
      // Some pragmas take effect when they are prepared, and only then.
      if (!text.startsWith('pragma')) prepared.set(text, statement)
      return statement
    },
  }
}

interface Statement extends SqliteStatement {
  /** Past Kysely, with what the engine can bind as it is: the parameters of a settlement are a thousand and more. */
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

/** Reads end nothing, and a rollback ends a transaction without a commit. */
const commitsNothing = /^(select|with|pragma|rollback)\b/

function statementOf(raw: DatabaseSync, text: string, committed: () => void): Statement {
  if (text === 'rollback') return rollbackOf(raw)
  const statement = kyselyStatement(raw.prepare(text))
  if (commitsNothing.test(text)) return statement
  // What is written outside of a transaction is committed at once.
  const then = <Result>(result: Result): Result => {
    if (!raw.isTransaction) committed()
    return result
  }
  return {
    ...statement,
    all: (parameters) => then(statement.all(parameters)),
    run: (parameters) => then(statement.run(parameters)),
    now: (parameters) => then(statement.now(parameters)),
  }
}

/**
 * A rollback that finds nothing to undo is none: the engine itself rolls back on some errors, a full disk among them, and
 * that error, which the caller is about to be told, must not be replaced by a complaint about the rollback.
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
