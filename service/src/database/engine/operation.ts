import type { Connection, Database, Durability, Sharing } from './dialect.ts'
import { Failure } from '../../foundation/failure.ts'

/** One operation on the store, and its kind. */
interface Operation<Args, Result> {
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

/**
 * One coarse operation on the store. It owns its transaction. Arguments and result are plain data, because on the
 * embedded engine they cross into the store's thread.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the one place where operations of all shapes are listed
export type Operations = Record<string, Operation<any, unknown>>

/** The operations of a store by subject. */
export type Subjects = Record<string, Operations>

/** The operations of a subject as their callers see them: the same on both engines. */
export type Subject<O extends Operations> = {
  [Name in keyof O]: (args: Parameters<O[Name]>[1]) => ReturnType<O[Name]>
}

/** A store: its subjects by name. */
export type Store<S extends Subjects> = { [Name in keyof S]: Subject<S[Name]> }

/** The operations by the names that cross into the store's thread: `records.saveFetch`. */
export function byName(subjects: Subjects): Operations {
  const named = ([subject, operations]: [string, Operations]) =>
    Object.entries(operations).map(([name, operation]) => [`${subject}.${name}`, operation] as const)
  return Object.fromEntries(Object.entries(subjects).flatMap(named))
}

/** Runs a named operation: in this thread or in the store's thread. */
export type RunOperation = (name: string, args: unknown) => Promise<unknown>

/** Opened operations. On SQLite the serving thread knows only their names: it starts faster without the rest. */
export interface OpenedOperations {
  names: readonly string[]
  run: RunOperation
}

/** The store of opened operations. */
export function storeOver<Whole>({ names, run }: OpenedOperations): Whole {
  const store: Record<string, Record<string, (args: unknown) => Promise<unknown>>> = {}
  for (const name of names) {
    const [subject = '', operation = ''] = name.split('.')
    ;(store[subject] ??= {})[operation] = (args) => run(name, args)
  }
  // The caller states which subjects the names belong to.
  return store as Whole
}

/** They wait for a second or two, and keep only their arguments in memory. */
const waitingAtMost = 256

/** Reports, or copies of the store, that run one after another. */
export class ReportLine {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** The number of those that wait or run. */
  get length(): number {
    return this.#waiting
  }

  /** Runs one after those before it; refuses it if too many wait. */
  run<Result>(make: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= waitingAtMost) {
      const detail = 'Too many reports are queued. Retry later.'
      return Promise.reject(new Failure('overloaded', { detail, retryAfterSeconds: 10 }))
    }
    this.#waiting += 1
    const made = this.#last.then(make).finally(() => (this.#waiting -= 1))
    this.#last = made.catch(() => undefined)
    return made
  }
}

/** The failure of a report that was stopped because its time was over. */
export function tookTooLong(name: string, reportMs: number): Failure {
  const detail = `The report took longer than ${reportMs / 1_000} s and was stopped. Ask for a shorter period, fewer groups or a smaller page.`
  return new Failure('store_unavailable', { detail, cause: new Error(`the report ${name} exceeded its time limit`) })
}
