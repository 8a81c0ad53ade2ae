import { read, write } from '../../database/operation.ts'
import { sql } from 'kysely'
import type { Connection } from '../../database/dialect.ts'
import type { Operations } from '../../database/store.ts'
import { databaseTime } from '../../database/sql/expressions.ts'

/** A running window: what was let through in it, and for how long it goes on. */
export interface ReportedWindow {
  id: string
  used: number
  remainingMs: number
}

/** What a node says of one: what it let through itself, and what it last saw counted for all. */
export interface OwnWindow extends ReportedWindow {
  seen: number
}

const rowsAtOnce = 1_000

/** Writes down what a node has let through in its running windows, in place of what it wrote before. */
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
 * What all nodes together have let through in the windows that are still running: the sum of their reports, and no less than
 * what one of them saw counted, because a node that died has not reported.
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
