import { CompiledQuery, sql, type Kysely } from 'kysely'
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
  const alone: Database['single'] = (work) => work(outside)
  const write: Database['write'] = async (work) => {
    let wakesSender = false
    const result = await db.transaction().execute(async (tx) => {
      const connection = connectionOf(tx)
      const done = await work(connection)
      wakesSender = connection.db.wakesSender ?? false
      return done
    })
    if (wakesSender) onSenderWork?.()
    return result
  }
  const read: Database['read'] = (work, reportMs) => {
    if (reportMs === undefined) return work(outside)
    const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    return snapshot.execute(async (tx) => {
      await sql`set local statement_timeout = ${sql.lit(reportMs)}`.execute(tx)
      return work(connectionOf(tx))
    })
  }
  return { dialect: 'postgres', isPooled, read, single: alone, write, share: (_sharing, work) => write(work) }
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
