import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import type { Database } from '../../../src/database/dialect.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { openSqlite } from '../../../src/database/sqlite/sqlite.ts'
import type { Operations, RunOperation } from '../../../src/database/store.ts'
import type { Clock } from '../../../src/foundation/clock.ts'
import { operations } from '../../../src/store/operations.ts'

/** The store of one life of the process. */
export interface OpenStore {
  run: RunOperation
  /** For the books: between two steps, when no operation runs. */
  database: Database
  /** After so many more statements, none is done. */
  dieAfter(statements: number): void
  close(): Promise<void>
}

/** Where the data of a seed are, through all its lives. */
export interface Ground {
  readonly folder: string
  /** Null on the embedded engine. */
  readonly databaseUrl: string | null
  open(): Promise<OpenStore>
}

/** An engine on which seeds are played one after the other, each on empty data. */
export interface Grounds {
  begin(): Promise<{ ground: Ground; end(): Promise<void> }>
  close(): Promise<void>
}

const byName: Operations = operations

/** A folder in memory where there is one: the simulation cuts no power. */
export function ownFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'vitae-simulation-'))
}

/** Each seed gets a copy of a store that is migrated already: most of a start is its schema. */
export async function openSqliteGrounds(clock: Clock): Promise<Grounds> {
  const kept = ownFolder()
  const template = join(kept, 'template.db')
  const { db } = openSqlite(template)
  await migrate(db, 'sqlite', clock.now())
  await db.destroy()
  return {
    async begin() {
      const folder = ownFolder()
      const path = join(folder, 'vitae.db')
      copyFileSync(template, path)
      const ground = { folder, databaseUrl: null, open: async () => openLife(path, clock) }
      return { ground, end: async () => rmSync(folder, { recursive: true, force: true }) }
    },
    close: async () => rmSync(kept, { recursive: true, force: true }),
  }
}

async function openLife(path: string, clock: Clock): Promise<OpenStore> {
  const { db, raw, direct } = openSqlite(path)
  await migrate(db, 'sqlite', clock.now())
  raw.exec('pragma synchronous = off')
  // The database's own clock, by which leases are kept.
  raw.function('unixepoch', { varargs: true }, () => clock.now() / 1_000)
  let left = Infinity
  const count = () => {
    if (left-- <= 0) throw new Error('the process is dead')
  }
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => (count(), node),
    transformResult: async ({ result }) => result,
  }
  const database: Database = {
    db: db.withPlugin(counting),
    dialect: 'sqlite',
    direct: {
      ...direct,
      run: (text, parameters) => (count(), direct.run(text, parameters)),
      inside: direct.inside.withPlugin(counting),
    },
  }
  return {
    async run(name, args) {
      const operation = byName[name]
      if (!operation) throw new Error(`no store operation is named ${name}`)
      return operation(database, args)
    },
    database: { db, dialect: 'sqlite', direct },
    dieAfter: (statements) => void (left = statements),
    close: async () => raw.close(),
  }
}
