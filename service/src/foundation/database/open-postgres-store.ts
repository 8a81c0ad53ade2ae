import { Failure } from '../failure.ts'
import { isLostConnection } from './lost-connection.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import type { Operations, RunOperation } from './store.ts'

interface Options {
  url: string
  operations: Operations
  now: number
  /** Called when an idle connection breaks; the next operation opens a new one. */
  onError(error: Error): void
}

const attemptsAtConflict = 5

/** Opens the scale-out engine in this process: the same operations, over a pool of connections. */
export async function openPostgresStore(options: Options): Promise<{ run: RunOperation; close(): Promise<void> }> {
  const { db } = openPostgres(options.url, options.onError)
  await migrate(db, 'postgres', options.now)
  const database = { db, dialect: 'postgres' as const }

  const run: RunOperation = async (name, args) => {
    const operation = options.operations[name]
    if (!operation) throw new Error(`no store operation is named ${name}`)
    for (let attempt = 1; ; attempt++) {
      try {
        return await operation(database, args)
      } catch (error) {
        if (isConflict(error) && attempt < attemptsAtConflict) continue
        // The settlement asks again by itself, because it must learn whether a lost commit happened.
        if (isLostConnection(error) && name !== 'settle') {
          throw new Failure('store_unavailable', { retryAfterSeconds: 1, cause: error })
        }
        throw error
      }
    }
  }
  return { run, close: () => db.destroy() }
}

/** A deadlock or a serialisation failure: the transaction was undone whole and may simply be tried again. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')
}
