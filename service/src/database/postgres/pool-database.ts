import { CompiledQuery, type Kysely } from 'kysely'
import type { Connection, Database, RunStatement, Tx } from '../dialect.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * Operations over a pool of connections. Transactions run side by side there, and one for many would only hold the locks of
 * all of them: so none is shared.
 */
export function poolDatabase(
  db: Kysely<Tables>,
  { isPooled = false, onSenderWork }: { isPooled?: boolean; onSenderWork?: (() => void) | undefined } = {},
): Database {
  const outside = connectionOf(db)
  const alone: Database['read'] = (work) => work(outside)
  const write: Database['write'] = async (work, isolation) => {
    const begin = db.transaction()
    const transaction = isolation === 'snapshot' ? begin.setIsolationLevel('repeatable read') : begin
    let wakesSender = false
    const result = await transaction.execute(async (tx) => {
      const connection = connectionOf(tx)
      const done = await work(connection)
      wakesSender = connection.db.wakesSender ?? false
      return done
    })
    if (wakesSender) onSenderWork?.()
    return result
  }
  return { dialect: 'postgres', isPooled, read: alone, single: alone, write, share: (_sharing, work) => write(work) }
}

function connectionOf(db: Kysely<Tables>): Connection {
  return { db: withRun(db), dialect: 'postgres' }
}

/** Prepared statements go the same way as Kysely's there: the pool keeps them by their texts. */
export function withRun(db: Kysely<Tables>): Tx {
  const run: RunStatement = async (text, parameters) =>
    (await db.executeQuery(CompiledQuery.raw(text, [...parameters]))).rows
  return Object.assign(db, { run })
}
