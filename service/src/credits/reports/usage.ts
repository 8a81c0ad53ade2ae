import { report } from '../../database/operation.ts'
import { sql } from 'kysely'
import type { Connection } from '../../database/dialect.ts'
import type { Operations } from '../../database/store.ts'
import { durationStep } from '../../database/sql/duration-steps.ts'
import type { UsageAsk, UsageGroup, UsageSlice } from './usage-counts.ts'

const columns: Record<UsageGroup, Record<string, string>> = {
  project: { project: 'environments.project' },
  environment: { project: 'environments.project', environment: 'environments.name' },
  key: { keyId: 'calls.key_id' },
  tag: { tag: 'calls.tag' },
  endpoint: { kind: 'calls.kind' },
  source: { source: 'calls.source' },
  status: { status: 'calls.status' },
  // Every count has its time.
  day: {},
}

/** Rows, and the calls that were counted with them instead of getting rows of their own. */
const callCount = sql<number>`count(*) + coalesce(sum(calls.repeats), 0)`

/** Counts a slice of the call log: as much of it as can be read without keeping payments waiting. */
async function usageSlice({ db }: Connection, ask: UsageAsk & { rows: number }): Promise<UsageSlice> {
  const { since, until, bucketMs, by, project, environment, mode, keyId = null } = ask
  const next = await endOfSlice(db, ask)
  const asked: Record<string, string> = Object.assign({}, ...by.map((group) => columns[group]))
  const period = sql<number>`calls.at - calls.at % ${sql.lit(bucketMs)}`
  const counts = await db
    .selectFrom('calls')
    .innerJoin('environments', 'environments.id', 'calls.account_id')
    .select([period.as('at'), durationStep.as('durationStep')])
    .select(({ fn }) => [callCount.as('calls'), fn.sum<number>('calls.credits').as('credits')])
    .select(Object.entries(asked).map(([name, column]) => sql.ref(column).as(name)))
    .where('calls.at', '>=', since)
    .where('calls.at', '<', next ?? until)
    .$if(project !== null, (query) => query.where('environments.project', '=', project ?? ''))
    .$if(environment !== null, (query) => query.where('environments.name', '=', environment ?? ''))
    .$if(keyId !== null, (query) => query.where('calls.key_id', '=', keyId ?? ''))
    .$if(mode !== null, (query) => query.where('calls.mode', '=', mode ?? 'live'))
    .groupBy([period, durationStep, ...Object.values(asked).map((column) => sql.ref(column))])
    .execute()
  const rows = counts.map((row) => ({ ...row, ...figures(row) }))
  return { counts: rows, next }
}

async function endOfSlice(
  db: Connection['db'],
  { since, until, rows }: { since: number; until: number; rows: number },
): Promise<number | null> {
  const row = await db
    .selectFrom('calls')
    .select('at')
    .where('at', '>=', since)
    .where('at', '<', until)
    .orderBy('at')
    .limit(1)
    .offset(rows)
    .executeTakeFirst()
  return row ? Math.max(row.at, since + 1) : null
}

/** What is left of the calls that retention has removed, some days at a time: whole days, without durations. */
async function usageDays({ db }: Connection, ask: UsageAsk & { rows: number }): Promise<UsageSlice> {
  const { by } = ask
  const next = await endOfDays(db, ask)
  const asked: Record<string, string> = Object.assign({}, ...by.map((group) => columns[group]))
  const named = Object.entries(asked).map(([name, column]) => [name, dayColumn(column)] as const)
  const rows = await daysOf(db, { ...ask, until: next ?? ask.until })
    .select(({ fn }) => [fn.sum<number>('usage_days.calls').as('calls'), fn.sum<number>('credits').as('credits')])
    .select('usage_days.day as at')
    .select(named.map(([name, column]) => column.as(name)))
    .groupBy(['usage_days.day', ...named.map(([, column]) => column)])
    .execute()
  const counts = rows.map((row) => ({ ...row, durationStep: null, ...figures(row) }))
  return { counts, next }
}

/** How many removed calls are counted there: the number changes when retention moves some meanwhile. */
async function aggregatedCalls({ db }: Connection, ask: UsageAsk): Promise<number> {
  const row = await daysOf(db, ask)
    .select(({ fn }) => fn.sum<number>('usage_days.calls').as('calls'))
    .executeTakeFirst()
  return Number(row?.calls ?? 0)
}

function daysOf(db: Connection['db'], { since, until, project, environment, mode, keyId = null }: UsageAsk) {
  return db
    .selectFrom('usage_days')
    .innerJoin('environments', 'environments.id', 'usage_days.account_id')
    .where('usage_days.day', '>=', since)
    .where('usage_days.day', '<', until)
    .$if(project !== null, (query) => query.where('environments.project', '=', project ?? ''))
    .$if(environment !== null, (query) => query.where('environments.name', '=', environment ?? ''))
    .$if(keyId !== null, (query) => query.where('usage_days.key_id', '=', keyId ?? ''))
    .$if(mode !== null, (query) => query.where('usage_days.mode', '=', mode ?? 'live'))
}

async function endOfDays(
  db: Connection['db'],
  { since, until, rows }: { since: number; until: number; rows: number },
): Promise<number | null> {
  const days = db.selectFrom('usage_days').select('day').where('day', '>=', since).where('day', '<', until)
  const row = await days.orderBy('day').limit(1).offset(rows).executeTakeFirst()
  return row ? Math.max(row.day, since + 1) : null
}

function figures({ calls, credits }: { calls: unknown; credits: unknown }) {
  return { calls: Number(calls), credits: Number(credits) }
}

function dayColumn(column: string) {
  const own = sql.ref(column.replace('calls.', 'usage_days.'))
  return ['calls.kind', 'calls.source', 'calls.tag'].includes(column) ? sql`nullif(${own}, '')` : own
}

export const usageOperations = {
  usageSlice: report(usageSlice),
  usageDays: report(usageDays),
  aggregatedCalls: report(aggregatedCalls),
} satisfies Operations
