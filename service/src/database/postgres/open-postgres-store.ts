import { sql } from 'kysely'
import { Failure } from '../../foundation/failure.ts'
import type { Database, Dialect } from '../engine/dialect.ts'
import { isLockTimeout, isLostConnection, isServerDiskError, isStatementTimeout } from '../engine/lost-connection.ts'
import { livingNodes } from '../migrations/living-nodes.ts'
import { migrate } from '../migrations/migrate.ts'
import {
  byName,
  reportsMs,
  type OpenedOperations,
  type Operations,
  type RunOperation,
  type Subjects,
  ReportLine,
  tookTooLong,
} from '../engine/operation.ts'
import type { Pooler } from './find-pooler.ts'
import { makePartitions } from './partitions.ts'
import { poolDatabase } from './pool-database.ts'
import { openPostgres, patient, quick, stretched, type PooledKysely, type PoolLimits } from './postgres.ts'
import { dialectBesideOlderNodes, postgresDialect } from './postgres-dialect.ts'
import { isNameTrouble, StatementNames } from './statement-names.ts'

interface Options {
  url: string
  operations: Subjects
  now: number
  /** Null if every connection is a session of the server. */
  pooler?: Pooler | null
  /** Factor of the time limits of callers' statements. */
  patience?: number
  /** Called when an idle connection breaks; the next operation opens a new one. */
  onError(error: Error): void
  /** Called after a commit that gave the webhook sender something to do. */
  onSenderWork?: () => void
}

const attemptsAtConflict = 5
const oldestVersion = 150_000

/** Opens the scale-out engine in this process: the same operations, over pools of connections. */
export async function openPostgresStore(options: Options): Promise<OpenedOperations & { close(): Promise<void> }> {
  const { url, pooler = null, patience = 1, onError } = options
  const open = (limits: PoolLimits, names: StatementNames | null) =>
    openPostgres(url, onError, stretched(limits, patience), { names, perTransaction: pooler !== null }).db
  const slow = open(patient, null)
  const fast = open(quick, pooler?.keepsStatements === false ? null : new StatementNames())
  const close = async () => void (await Promise.all([slow.destroy(), fast.destroy()]))
  const dialect = await prepare(slow, options.now).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const how = { dialect, isPooled: pooler !== null, onSenderWork: options.onSenderWork }
  const [patiently, quickly] = [poolDatabase(slow, how), poolDatabase(fast, how)]

  // One report of each length at a time, so that jobs always find a free slow connection.
  const lines = new Map<number, ReportLine>(Object.values(reportsMs).map((ms) => [ms, new ReportLine()]))
  const operations = byName(options.operations)
  const run: RunOperation = async (name, args) => {
    const operation = operations[name]
    if (!operation) throw new Error(`no store operation is named ${name}`)
    // Callers do not queue behind operators and jobs.
    const database = operation.quick ? quickly : patiently
    const line = operation.reportMs === null ? undefined : lines.get(operation.reportMs)
    const attempt = () => attemptOperation({ name, operation, database, args })
    return line ? line.run(attempt) : attempt()
  }
  return { names: Object.keys(operations), run, close }
}

/** Brings the schema up to date; returns the dialect that suits the nodes that run now. */
async function prepare(db: PooledKysely, now: number): Promise<Dialect> {
  await refuseOldServer(db)
  await migrate(db, postgresDialect, now)
  await makePartitions(poolDatabase(db), { now })
  const isBesideOlder = (await livingNodes(db)).some(({ notices }) => notices === null)
  return isBesideOlder ? dialectBesideOlderNodes : postgresDialect
}

interface Attempted {
  name: string
  operation: Operations[string]
  database: Database
  args: unknown
}

async function attemptOperation({ name, operation, database, args }: Attempted): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await operation(database, args)
    } catch (error) {
      if ((isConflict(error) || isNameTrouble(error)) && attempt < attemptsAtConflict) continue
      if (isServerDiskError(error)) throw new Failure('store_unavailable', { retryAfterSeconds: 5, cause: error })
      if (operation.reportMs !== null && isStatementTimeout(error)) throw tookTooLong(name, operation.reportMs)
      // The settlement queue handles these itself, because it must learn whether a lost commit happened.
      if (name !== 'credits.settle' && (isLostConnection(error) || isLockTimeout(error))) {
        throw new Failure('store_unavailable', { retryAfterSeconds: 1, cause: error })
      }
      throw error
    }
  }
}

/** A deadlock or serialisation failure: the transaction was fully undone and can be retried. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')
}

async function refuseOldServer(db: PooledKysely): Promise<void> {
  const { rows } = await sql<{ server_version_num: string }>`show server_version_num`.execute(db)
  const number = Number(rows[0]?.server_version_num)
  if (number < oldestVersion)
    throw new Error(`this is PostgreSQL ${Math.floor(number / 10_000)}, and Vitae needs 15 or newer`)
}
