import type { Database } from '../../src/database/dialect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import type { Operations, RunOperation } from '../../src/database/store.ts'
import { Failure } from '../../src/foundation/failure.ts'
import { operations } from '../../src/store/operations.ts'

interface Message {
  name: string
  args: unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

const byName: Operations = operations

/**
 * The store's thread, taken apart: messages wait until the scheduler has the store take them, and replies wait until it
 * has them arrive. Both keep their order, as between two threads.
 */
export class SimulatedStore {
  readonly #database: Database
  readonly #close: () => void
  #messages: Message[] = []
  #replies: (() => void)[] = []
  #dead = false
  /** The statement after which the process dies; none where it is infinite. */
  #statementsLeft = Infinity
  /** While an operator's long work runs, the store takes and answers at once. */
  #atOnce = 0

  private constructor(database: Database, close: () => void) {
    const { direct } = database
    this.#close = close
    this.#database = {
      ...database,
      ...(direct ? { direct: (text, parameters) => (this.#statement(), direct(text, parameters)) } : {}),
    }
  }

  static async open(path: string, now: number): Promise<SimulatedStore> {
    const { db, raw, direct } = openSqlite(path)
    await migrate(db, 'sqlite', now)
    return new SimulatedStore({ db, dialect: 'sqlite', direct }, () => raw.close())
  }

  readonly run: RunOperation = (name, args) =>
    new Promise((resolve, reject) => {
      if (this.#dead) return
      this.#messages.push({ name, args: structuredClone(args), resolve, reject })
      if (this.#atOnce > 0) void this.#flush()
    })

  get waiting(): number {
    return this.#messages.length
  }

  get unheard(): number {
    return this.#replies.length
  }

  /** Runs the first messages together, as the thread does with those that arrive together. Their replies wait. */
  async take(count: number): Promise<void> {
    const taken = this.#messages.splice(0, count)
    const done = taken.map(async ({ name, args, resolve, reject }) => {
      try {
        const operation = byName[name]
        if (!operation) throw new Error(`no store operation is named ${name}`)
        const result = await operation(this.#database, args)
        return () => resolve(structuredClone(result))
      } catch (error) {
        return () => reject(error)
      }
    })
    this.#replies.push(...(await Promise.all(done)))
  }

  hear(count: number): void {
    for (const reply of this.#replies.splice(0, count)) if (!this.#dead) reply()
  }

  /** The first message is refused by the disk: nothing of it was done. */
  refuse(): void {
    const message = this.#messages.shift()
    if (message) this.#replies.push(() => message.reject(new Failure('store_unavailable', { retryAfterSeconds: 5 })))
  }

  /** The process dies; with `statements`, in the middle of what the store is told next. */
  async die(statements: number | null): Promise<void> {
    if (statements !== null) {
      this.#statementsLeft = statements
      await this.take(this.#messages.length)
    }
    this.#dead = true
    this.#messages = []
    this.#replies = []
    this.#close()
  }

  /** Work whose every message is taken and answered without the scheduler. */
  async atOnce<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#atOnce += 1
    try {
      const working = work()
      await this.#flush()
      return await working
    } finally {
      this.#atOnce -= 1
    }
  }

  async #flush(): Promise<void> {
    await this.take(this.#messages.length)
    this.hear(this.#replies.length)
  }

  #statement(): void {
    if (this.#statementsLeft-- <= 0) throw new Error('the process is dead')
  }
}
