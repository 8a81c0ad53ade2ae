import type { Connection, Database } from '../../engine/dialect.ts'
import { sqliteDialect, openToRead } from '../connection/sqlite.ts'
import { byName, type Operations, type Subjects } from '../../engine/operation.ts'
import { errorReply, type StoreReply, type StoreRequest } from '../connection/store-messages.ts'
import { watchProcess } from './watch-process.ts'

const [parent, path = '', operationsModule = ''] = process.argv.slice(2)
const mostBytes = 512 * 1_048_576

watchProcess(Number(parent), mostBytes)
const opened = open()
process.on('message', (request) => void answer(request as StoreRequest).then((reply) => process.send?.(reply)))

/** The program of `ReportProcess`: the same operations as in the store's thread, over a read-only connection. */
async function open(): Promise<{ database: Database; operations: Operations }> {
  const { operations } = (await import(operationsModule)) as { operations: Subjects }
  const connection: Connection = { db: openToRead(path), dialect: sqliteDialect }
  const read: Database['read'] = (work) => atOneMoment(connection, work)
  return {
    database: { dialect: sqliteDialect, read, single: refuse, write: refuse, share: refuse },
    operations: byName(operations),
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('the reader does not write'))
}

/**
 * A WAL transaction sees every commit that ended before its first statement, from any process: a commit is in the log
 * and its shared index before it is answered, even if it is synced only with the next. The transaction keeps the log
 * from starting over, so it ends with the report, or with this process when the report's time is over.
 */
async function atOneMoment<Result>(connection: Connection, work: (connection: Connection) => Promise<Result>) {
  await connection.db.run('begin', [])
  try {
    return await work(connection)
  } finally {
    await connection.db.run('rollback', [])
  }
}

async function answer({ id, name, args }: StoreRequest): Promise<StoreReply> {
  try {
    const { database, operations } = await opened
    const operation = operations[name]
    if (!operation) throw new Error(`no store operation is named ${name}`)
    return { id, result: await operation(database, args) }
  } catch (error) {
    return errorReply(id, error)
  }
}
