import {
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type SqliteDialectConfig,
} from 'kysely'
import type { Tx } from '../dialect.ts'
import type { Tables } from '../tables.ts'

/** Who has the one connection of the embedded engine, and who waits for it, in order. */
class ConnectionLock {
  readonly #waiting: (() => void)[] = []
  #isTaken = false

  /** Undefined where it is free: then nobody waits. */
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

interface OneConnection {
  lock: ConnectionLock
  /** For who has the lock: what it runs waits for nothing. */
  inside: Tx
}

const connections = new WeakMap<Kysely<Tables>, OneConnection>()

/** Kysely over the one connection. Its own lock is replaced by one that `withConnection` takes as well, past all its layers. */
export function kyselyOverOne(config: SqliteDialectConfig): Kysely<Tables> {
  const lock = new ConnectionLock()
  const db = new Kysely<Tables>({ dialect: new UnlockedDialect(config, new LockingDriver(config, lock)) })
  const inside = new Kysely<Tables>({ dialect: new UnlockedDialect(config, new SqliteDriver(config)) })
  // A connection on which transactions are begun.
  connections.set(db, { lock, inside: inside as Tx })
  return db
}

/** Runs with the connection to itself: no other statement runs until it ends. It never begins in the caller's own step. */
export async function withConnection<Result>(
  db: Kysely<Tables>,
  use: (inside: Tx) => Promise<Result> | Result,
): Promise<Result> {
  const one = connections.get(db)
  if (!one) throw new Error('this is not the embedded engine')
  await one.lock.take()
  try {
    return await use(one.inside)
  } finally {
    one.lock.give()
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
