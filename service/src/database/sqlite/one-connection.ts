import {
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type SqliteDialectConfig,
} from 'kysely'
import type { ConnectionLock, Direct, RunStatement, Tx } from '../dialect.ts'
import type { Tables } from '../tables/tables.ts'

class Lock implements ConnectionLock {
  readonly #waiting: (() => void)[] = []
  #isTaken = false

  take(): Promise<void> | undefined {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    return undefined
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isTaken = false
  }
}

/** Kysely over one connection. Its own lock is replaced by one that `withConnection` takes as well, past all its layers. */
export function overOneConnection(
  config: SqliteDialectConfig,
  run: RunStatement,
): { db: Kysely<Tables>; direct: Direct } {
  const lock = new Lock()
  const db = new Kysely<Tables>({ dialect: new UnlockedDialect(config, new LockingDriver(config, lock)) })
  const inside = new Kysely<Tables>({ dialect: new UnlockedDialect(config, new SqliteDriver(config)) })
  // A connection on which transactions are begun.
  return { db, direct: { lock, run, inside: inside as Tx } }
}

/** Runs with the connection to itself: no other statement runs until it ends. It never begins in the caller's own step. */
export async function withConnection<Result>({ lock }: Direct, use: () => Promise<Result> | Result): Promise<Result> {
  await lock.take()
  try {
    return await use()
  } finally {
    lock.give()
  }
}

class LockingDriver extends SqliteDriver {
  readonly #lock: ConnectionLock

  constructor(config: SqliteDialectConfig, lock: ConnectionLock) {
    super(config)
    this.#lock = lock
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#lock.take()
    return super.acquireConnection()
  }

  override async releaseConnection(): Promise<void> {
    this.#lock.give()
  }
}

class UnlockedAdapter extends SqliteAdapter {
  /** Says only that Kysely need not lock. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class UnlockedDialect extends SqliteDialect {
  readonly #driver: SqliteDriver

  constructor(config: SqliteDialectConfig, driver: SqliteDriver) {
    super(config)
    this.#driver = driver
  }

  override createDriver(): SqliteDriver {
    return this.#driver
  }

  override createAdapter(): SqliteAdapter {
    return new UnlockedAdapter()
  }
}
