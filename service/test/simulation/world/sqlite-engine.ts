import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { migrate } from '../../../src/database/migrations/migrate.ts'
import {
  kyselyDatabase,
  openSqlite,
  overStatements,
  sqliteDialect,
} from '../../../src/database/sqlite/connection/sqlite.ts'
import { byName, type RunOperation } from '../../../src/database/engine/operation.ts'
import type { Clock } from '../../../src/foundation/clock.ts'
import { overSqlite, type OpenDatabase } from '../../harness/engines.ts'
import { operations } from '../../../src/app/store/operations.ts'

/** The store of one life of the process. */
export interface OpenStore {
  run: RunOperation
  /** For the oracle's checks between two steps, when no operation runs. */
  database: OpenDatabase
  /** The number of started writes to balances, limits, spending and batches; null if not counted. */
  moves(): number | null
  /** After this number of further statements, none is executed. */
  dieAfter(statements: number): void
  close(): Promise<void>
}

/** The data of a seed, which outlive its processes. */
export interface SeedStore {
  readonly folder: string
  /** Null on the embedded engine. */
  readonly databaseUrl: string | null
  /** The run is compared with one on the other engine, so it has one order of messages and no death inside of one. */
  readonly isCompared?: boolean
  open(): Promise<OpenStore>
}

/** An engine that plays seeds one after another, each on empty data. */
export interface StoreEngine {
  begin(): Promise<{ seedStore: SeedStore; end(): Promise<void> }>
  close(): Promise<void>
}

const named = byName(operations)

let ofThisProcess: string | null = null

/**
 * A new folder, in memory if possible, because the simulation cuts no power. It is removed with the process at the
 * latest.
 */
export function ownFolder(): string {
  ofThisProcess ??= folderUntilTheEnd()
  return mkdtempSync(join(ofThisProcess, 'seed-'))
}

function folderUntilTheEnd(): string {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'vitae-simulation-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * One database file and one connection for all seeds and lives of this process, because opening and preparing cost more
 * than a seed. A new seed finds empty tables; a new life finds the committed data of the last one.
 */
export async function openSqliteEngine(clock: Clock): Promise<StoreEngine> {
  const kept = ownFolder()
  const { db, raw } = openSqlite(join(kept, 'vitae.db'))
  await migrate(db, sqliteDialect, clock.now())
  raw.exec('pragma synchronous = off')
  // Replaces the database's own clock, which leases use.
  raw.function('unixepoch', { varargs: true }, () => clock.now() / 1_000)
  const statements = kyselyDatabase(raw)
  const empty = emptying(raw)
  return {
    async begin() {
      for (const statement of ['begin', ...empty, 'commit']) statements.prepare(statement).now([])
      const folder = ownFolder()
      const seedStore = { folder, databaseUrl: null, open: async () => openLife(raw, statements) }
      return { seedStore, end: async () => rmSync(folder, { recursive: true, force: true }) }
    },
    async close() {
      raw.close()
      rmSync(kept, { recursive: true, force: true })
    },
  }
}

/**
 * The statements that empty every table except the list of migrations, newest first because of references. Ids restart.
 */
function emptying(raw: DatabaseSync): string[] {
  const tables = raw.prepare(`select name from sqlite_master where type = 'table' and name <> 'migrations'`).all()
  return tables.map(({ name }) => `delete from "${String(name)}"`).toReversed()
}

type Statements = ReturnType<typeof kyselyDatabase>

function openLife(raw: DatabaseSync, statements: Statements): OpenStore {
  let left = Infinity
  let moves = 0
  const counted: Statements = {
    close: () => undefined,
    prepare(text) {
      if (left-- <= 0) throw new Error('the process is dead')
      if (isMove(text)) moves += 1
      // Ignores sync settings of the product, because the simulation cuts no power.
      return text.startsWith('pragma synchronous') ? nothing : statements.prepare(text)
    },
  }
  const database = overSqlite({ db: overStatements(counted) })
  return {
    async run(name, args) {
      const operation = named[name]
      if (!operation) throw new Error(`no store operation is named ${name}`)
      return operation(database, args)
    },
    database: overSqlite({ db: overStatements(statements) }),
    moves: () => moves,
    dieAfter: (more) => void (left = more),
    async close() {
      left = 0
      // The next start must find only committed data.
      if (raw.isTransaction) raw.exec('rollback')
    },
  }
}

const known = new Map<string, boolean>()

function isMove(text: string): boolean {
  const is =
    known.get(text) ??
    /^\s*(insert into|update|delete from) "?(environments|holds|spend_periods|keys|batches)\b/.test(text)
  known.set(text, is)
  return is
}

const nothing: ReturnType<Statements['prepare']> = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
  now: () => [],
}
