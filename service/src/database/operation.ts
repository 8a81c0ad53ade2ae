import type { Connection, Database, Durability, Sharing } from './dialect.ts'

/** One operation on the store, and its kind. */
export interface Operation<Args, Result> {
  (database: Database, args: Args): Promise<Result>
  /** Callers wait for it: on PostgreSQL it has its own connections with short limits. */
  readonly quick: boolean
  /** The time limit of a report; null for all others. */
  readonly reportMs: number | null
}

type Work<Args, Result> = (connection: Connection, args: Args) => Promise<Result>
type Quick = 'quick'

/** An operation that only reads. */
export function read<Args, Result>(work: Work<Args, Result>, quick?: Quick): Operation<Args, Result> {
  const run = (database: Database, args: Args) => database.read((connection) => work(connection, args))
  return Object.assign(run, { quick: quick !== undefined, reportMs: null })
}

/**
 * Reports that read a page by an index, that add something up, and that read whole tables: each kind waits only for its
 * own.
 */
export const reportsMs = { short: 10_000, usual: 60_000, long: 10 * 60_000 } as const

/**
 * An operation that only reads and may take long or grow with the store: operators' views, exports, checks and the
 * event feed. It does not run where charges do (`sqlite/reader`, on PostgreSQL a few of the slow connections). It sees
 * one snapshot of the store, with everything answered before it was requested, and is stopped after its time limit.
 */
export function report<Args, Result>(
  work: Work<Args, Result>,
  length: keyof typeof reportsMs = 'usual',
): Operation<Args, Result> {
  const reportMs = reportsMs[length]
  const run = (database: Database, args: Args) => database.read((connection) => work(connection, args), reportMs)
  return Object.assign(run, { quick: false, reportMs })
}

/** An operation that writes with single statements, each its own transaction. */
export function single<Args, Result>(work: Work<Args, Result>, quick?: Quick): Operation<Args, Result> {
  const run = (database: Database, args: Args) => database.single((connection) => work(connection, args))
  return Object.assign(run, { quick: quick !== undefined, reportMs: null })
}

/** An operation with its own transaction. */
export function write<Args, Result>(work: Work<Args, Result>, quick?: Quick): Operation<Args, Result> {
  const run = (database: Database, args: Args) => database.write((connection) => work(connection, args))
  return Object.assign(run, { quick: quick !== undefined, reportMs: null })
}

/** A short operation with one transaction. On the embedded engine it shares a commit with other work that waits. */
export function shared<Args, Result>(
  how: Durability | ((args: Args) => Sharing),
  work: Work<Args, Result>,
  quick?: Quick,
): Operation<Args, Result> {
  const sharing = typeof how === 'string' ? () => ({ durability: how }) : how
  const run = (database: Database, args: Args) => database.share(sharing(args), (connection) => work(connection, args))
  return Object.assign(run, { quick: quick !== undefined, reportMs: null })
}

/** An operation of many steps, which lets others through between them: each step is a read or its own transaction. */
export function long<Args, Result>(work: (database: Database, args: Args) => Promise<Result>): Operation<Args, Result> {
  const run = (database: Database, args: Args) => work(database, args)
  return Object.assign(run, { quick: false, reportMs: null })
}
