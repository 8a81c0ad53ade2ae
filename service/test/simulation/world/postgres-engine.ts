import { rmSync } from 'node:fs'
import { sql } from 'kysely'
import { migrate } from '../../../src/database/migrations/migrate.ts'
import { openPostgresStore } from '../../../src/database/postgres/open-postgres-store.ts'
import { openPostgres } from '../../../src/database/postgres/postgres.ts'
import type { Clock } from '../../../src/foundation/clock.ts'
import { busyMachine } from '../../harness/child-service.ts'
import { overPostgres } from '../../harness/engines.ts'
import { operations } from '../../../src/app/store/operations.ts'
import { ownFolder, type StoreEngine, type OpenStore } from './sqlite-engine.ts'
import { postgresDialect } from '../../../src/database/postgres/postgres-dialect.ts'

const ignore = () => undefined

type Db = ReturnType<typeof openPostgres>['db']

/**
 * A separate schema on a real PostgreSQL, emptied before each seed. The server decides how transactions of one step
 * interleave, and when a killed one ends. Its clock, which leases use, is the scheduler's.
 */
export async function openPostgresEngine(clock: Clock): Promise<StoreEngine> {
  const server = process.env['TEST_POSTGRES_URL']
  if (!server) throw new Error('there is no PostgreSQL (TEST_POSTGRES_URL)')
  const schema = `simulation_${process.pid}_${process.hrtime.bigint()}`
  const inSchema = new URL(server)
  inSchema.searchParams.set('options', `-c search_path=${schema},pg_catalog`)
  const url = inSchema.href
  const { db } = openPostgres(url, ignore)
  await sql`create schema ${sql.id(schema)}`.execute(db)
  await migrate(db, postgresDialect, clock.now())
  const tables = await emptyTables(db)
  const setClock = await ownClock(db, schema, clock)
  let lives = 0
  const open = async (): Promise<OpenStore> => {
    const name = `simulation ${process.pid} ${++lives}`
    const own = new URL(url)
    own.searchParams.set('application_name', name)
    const settings = {
      url: own.href,
      operations,
      now: clock.now(),
      onError: ignore,
      patience: busyMachine.postgresPatience ?? 1,
    }
    const { run: runThere, close } = await openPostgresStore(settings)
    const run: typeof runThere = async (name, args) => {
      await setClock()
      return runThere(name, args)
    }
    const kill = sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`
    let killed = false
    const dieAfter = () => {
      killed = true
      void kill.execute(db).catch(ignore)
    }
    // The connection has no error listener left if it is closed while the server terminates it.
    const closeAfterKill = async () => {
      const left = sql`select pid from pg_stat_activity where application_name = ${name}`
      while (killed && (await left.execute(db)).rows.length > 0) await kill.execute(db)
      await close()
    }
    return { run, database: overPostgres(db), moves: () => null, dieAfter, close: closeAfterKill }
  }
  return {
    async begin() {
      await sql.raw(`truncate ${tables.join(', ')} restart identity cascade`).execute(db)
      const folder = ownFolder()
      const end = async () => rmSync(folder, { recursive: true, force: true })
      return { seedStore: { folder, databaseUrl: url, open }, end }
    },
    async close() {
      await sql`drop schema ${sql.id(schema)} cascade`.execute(db)
      await db.destroy()
    },
  }
}

/**
 * Replaces the server's clock in this schema with a function of the same name that is found first. With the real clock
 * a lease would expire after ten real seconds, and a batch with a lost claim could not be claimed again until then.
 */
async function ownClock(db: Db, schema: string, clock: Clock): Promise<() => Promise<void>> {
  const table = sql.id(schema, 'simulated_clock')
  // Unlogged, so that setting it syncs nothing.
  await sql`create unlogged table ${table} as select cast(0 as bigint) as ms`.execute(db)
  await sql`create function ${sql.id(schema, 'clock_timestamp')}() returns timestamptz language sql volatile
    as ${sql.lit(`select timestamptz 'epoch' + ms * interval '1 millisecond' from "${schema}".simulated_clock`)}`.execute(
    db,
  )
  let set = { at: 0, done: Promise.resolve() }
  return () => {
    const at = clock.now()
    if (set.at !== at) {
      const done = set.done.then(() => sql`update ${table} set ms = ${at}`.execute(db)).then(ignore)
      set = { at, done }
    }
    return set.done
  }
}

/** The tables to empty, without rows that the migrations wrote. */
async function emptyTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(db)
  const empty: string[] = []
  for (const { name } of rows) {
    const found = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db)
    if (found.rows.length === 0) empty.push(`"${name}"`)
  }
  return empty
}
