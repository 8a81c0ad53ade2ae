import { read, write } from '../../database/operation.ts'
import { sql } from 'kysely'
import type { Connection } from '../../database/dialect.ts'
import type { Operations } from '../../database/store.ts'
import { databaseTime } from '../../database/sql/expressions.ts'

/** A running window: the number of allowed calls, and its remaining time. */
export interface ReportedWindow {
  id: string
  used: number
  remainingMs: number
}

/** A node's report of a window: the calls that it allowed itself, and the last count that it saw for all nodes. */
export interface OwnWindow extends ReportedWindow {
  seen: number
}

const rowsAtOnce = 1_000

/** Stores a node's report of its running windows, replacing its previous one. */
async function reportRates(
  { db: tx, dialect }: Connection,
  { node, windows }: { node: string; windows: OwnWindow[] },
): Promise<void> {
  const now = databaseTime(dialect)
  await tx
    .deleteFrom('rate_reports')
    .where((of) => of.or([of('node', '=', node), of('ends_at', '<', now)]))
    .execute()
  for (let start = 0; start < windows.length; start += rowsAtOnce) {
    const rows = windows.slice(start, start + rowsAtOnce).map(({ id, used, seen, remainingMs }) => ({
      node,
      id,
      used,
      seen,
      ends_at: sql<number>`${now} + ${sql.lit(Math.ceil(remainingMs))}`,
    }))
    await tx.insertInto('rate_reports').values(rows).execute()
  }
}

/**
 * The calls that all nodes have allowed in running windows: the sum of their reports, but at least the highest count
 * that one of them saw, because a dead node has not reported.
 */
async function readRateReports({ db, dialect }: Connection, _args: null): Promise<ReportedWindow[]> {
  const now = databaseTime(dialect)
  const rows = await db
    .selectFrom('rate_reports')
    .select(['id', (of) => of.fn.sum<number>('used').as('used'), (of) => of.fn.max('seen').as('seen')])
    .select(sql<number>`max(ends_at) - ${now}`.as('remainingMs'))
    .where('ends_at', '>', now)
    .groupBy('id')
    .execute()
  return rows.map(({ id, used, seen, remainingMs }) => ({
    id,
    used: Math.max(Number(used), Number(seen)),
    remainingMs: Number(remainingMs),
  }))
}

export const rateReportOperations = {
  reportRates: write(reportRates, 'quick'),
  readRateReports: read(readRateReports, 'quick'),
} satisfies Operations
export type RateReportOperations = typeof rateReportOperations
