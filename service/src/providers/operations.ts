import { long, read, report, shared, write, type Operations, type Subject } from '../database/engine/operation.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Connection, Dialect, Tx, Database } from '../database/engine/dialect.ts'
import { runPrepared } from '../database/sql/prepared.ts'
import { sql } from 'kysely'
import { Durations } from '../foundation/durations.ts'
import { providerCallSlice } from './call-slice.ts'
import { noteCosts } from './note-costs.ts'
import { providerDays, sumProviderDay } from './provider-days.ts'
import { driftedProviders, fillDays, newestFills, noteFills } from './fill-days.ts'
import type { NewEvent } from '../events/outbox/event.ts'
import { writeEvents } from '../events/outbox/event-upkeep.ts'
import { isoTime } from '../foundation/clock.ts'
import { durationStep } from '../database/sql/expressions.ts'
import type { Spending } from './transport/exchange.ts'

/** A number of calls to a provider in a month; negative if a share was not used. */
export interface CallCount {
  provider: string
  month: string
  calls: number
}

interface AskedShare extends CallCount {
  limit: number
  /** This many more may be granted: at most a hundredth of what is left, so that nodes do not run out in turn. */
  ahead: number
}

const selectPaused = 'select paused from provider_states where provider = ?'
const count = `
  insert into provider_months (provider, month, calls) values (?, ?, ?)
  on conflict (provider, month) do update set calls = provider_months.calls + excluded.calls`

/** Adds to the counts. */
async function countCalls(connection: Connection, { counts }: { counts: readonly CallCount[] }): Promise<void> {
  // In one order, so that two nodes do not wait for each other.
  for (const one of counts.toSorted((a, b) => (a.provider < b.provider ? -1 : 1))) await addCalls(connection, one)
}

async function addCalls({ db: tx, dialect }: Connection, { provider, month, calls }: CallCount): Promise<void> {
  await runPrepared(tx, dialect, count, [provider, month, calls])
}

/**
 * Counts calls of a provider in a month before they are made, unless it is paused, and no more than its limit allows.
 * Exact with concurrent nodes.
 */
async function spendBudget(
  connection: Connection,
  { provider, month, limit, calls, ahead }: AskedShare,
): Promise<{ spending: Spending; granted: number }> {
  const { db: tx, dialect } = connection
  if (await isPaused(tx, dialect, provider)) return { spending: 'paused', granted: 0 }
  // The row that is written stays locked until the commit.
  await addCalls(connection, { provider, month, calls: 0 })
  const left = Math.max(0, limit - (await callsIn(tx, { provider, month })))
  const granted = Math.min(left, calls + Math.min(ahead, Math.floor(left / 100)))
  await addCalls(connection, { provider, month, calls: granted })
  return { spending: granted > 0 ? 'ok' : 'spent', granted }
}

async function callsIn(tx: Tx, { provider, month }: Pick<CallCount, 'provider' | 'month'>): Promise<number> {
  const made = tx.selectFrom('provider_months').select('calls')
  const row = await made.where('provider', '=', provider).where('month', '=', month).executeTakeFirst()
  return row?.calls ?? 0
}

/** Whether a call could be made now. */
async function peekBudget(
  { db, dialect }: Connection,
  { provider, month, limit }: { provider: string; month: string; limit: number | null },
): Promise<Spending> {
  if (await isPaused(db, dialect, provider)) return 'paused'
  if (limit === null) return 'ok'
  return (await callsIn(db, { provider, month })) < limit ? 'ok' : 'spent'
}

async function isPaused(tx: Tx, dialect: Dialect, provider: string): Promise<boolean> {
  const [state] = await runPrepared<{ paused: number }>(tx, dialect, selectPaused, [provider])
  return state?.paused === 1
}

/** The number of calls per provider in a month. */
async function budgetStates(
  { db }: Connection,
  { month }: { month: string },
): Promise<{ provider: string; calls: number }[]> {
  return db
    .selectFrom('provider_months')
    .select(['provider', 'calls'])
    .where('month', '=', month)
    .orderBy('provider')
    .execute()
}

/** Pauses or resumes a provider. While it is paused, every ask counts as an outage. */
async function setProviderPaused(
  { db: tx, dialect }: Connection,
  args: { provider: string; paused: boolean; actor: string; at: number; reason?: string | null },
): Promise<void> {
  const { provider, actor, at } = args
  const paused = args.paused ? 1 : 0
  const before = await isPaused(tx, dialect, provider)
  await tx
    .insertInto('provider_states')
    .values({ provider, paused, changed_at: at })
    .onConflict((conflict) => conflict.column('provider').doUpdateSet({ paused, changed_at: at }))
    .execute()
  await appendAudit(tx, dialect, {
    at,
    actor,
    action: args.paused ? 'provider.pause' : 'provider.resume',
    subject: provider,
    reason: args.reason ?? null,
    before: { paused: before },
    after: { paused: args.paused },
  })
}

/** The providers that were ever paused or confirmed, and their current state. */
async function providerStates(
  { db }: Connection,
  _args: null,
): Promise<{ provider: string; paused: boolean; changedAt: number; confirmed: string | null }[]> {
  const known = db.selectFrom('provider_states').selectAll()
  const rows = await known
    .where(({ or, eb }) => or([eb('changed_at', '>', 0), eb('confirmed', 'is not', null)]))
    .orderBy('provider')
    .execute()
  return rows.map(({ provider, paused, changed_at: changedAt, confirmed }) => {
    return { provider, paused: paused === 1, changedAt, confirmed }
  })
}

/** Records that an operator has confirmed a provider file with a call. */
async function confirmProvider(
  { db: tx, dialect }: Connection,
  { provider, digest, actor, at }: { provider: string; digest: string; actor: string; at: number },
): Promise<void> {
  await tx
    .insertInto('provider_states')
    .values({ provider, paused: 0, changed_at: 0, confirmed: digest })
    .onConflict((conflict) => conflict.column('provider').doUpdateSet({ confirmed: digest }))
    .execute()
  await appendAudit(tx, dialect, { at, actor, action: 'provider.confirm', subject: provider, after: { digest } })
}

interface RecentCalls {
  provider: string
  /** The start of the bucket; 0 without buckets. */
  at: number
  calls: number
  failures: number
  p50Ms: number | null
}

// An import was not a call, and "found" and "not found" are both answers.
const answers = new Set(['found', 'not_found'])

/** The results of each provider since a given time, as a whole or by buckets of a given length. */
async function recentCalls(
  { db }: Connection,
  { since, bucketMs }: { since: number; bucketMs?: number },
): Promise<RecentCalls[]> {
  const bucket = bucketMs ? sql<number>`at - at % ${sql.lit(bucketMs)}` : sql<number>`0`
  const rows = await db
    .selectFrom('fetches')
    .select(['provider', 'outcome', durationStep.as('step'), bucket.as('bucket')])
    .select(({ fn }) => fn.countAll<number>().as('calls'))
    .where('at', '>=', since)
    .where('outcome', 'not in', ['imported', 'interim'])
    // By position, because PostgreSQL resolves a name to a table column first.
    .groupBy(sql`1, 2, 3, 4`)
    .execute()
  return [...Map.groupBy(rows, (row) => `${row.bucket} ${row.provider}`).values()].map((own) => {
    const [{ provider, bucket: at } = { provider: '', bucket: 0 }] = own
    const durations = new Durations()
    for (const { step, calls } of own) durations.add(step, Number(calls))
    const count = (counted: typeof own) => counted.reduce((sum, { calls }) => sum + Number(calls), 0)
    const failed = own.filter(({ outcome }) => !answers.has(outcome))
    return { provider, at: Number(at), calls: count(own), failures: count(failed), p50Ms: durations.percentile(0.5) }
  })
}

/** Providers: their state, costs, calls and fills. */
export const providerOperations = {
  noteProviders: long(noteProviders),
  noteCosts: write(noteCosts),
  providerStates: read(providerStates, 'quick'),
  confirmProvider: write(confirmProvider),
  recentCalls: report(recentCalls),
  providerCallSlice: report(providerCallSlice),
  sumProviderDay: long(sumProviderDay),
  providerDays: report(providerDays),
  newestFills: report(newestFills),
  noteFills: write(noteFills),
  fillDays: report(fillDays),
  driftedProviders: read(driftedProviders),
} satisfies Operations
export type ProviderStore = Subject<typeof providerOperations>

/** Operations that count calls or depend on the counts: only `CallCounts` uses them. */
export const callCountOperations = {
  spendBudget: shared('with the next', spendBudget, 'quick'),
  peekBudget: read(peekBudget, 'quick'),
  countCalls: shared('with the next', countCalls, 'quick'),
  budgetStates: read(budgetStates),
  setProviderPaused: write(setProviderPaused),
} satisfies Operations
export type CallCountStore = Subject<typeof callCountOperations>

interface Seen {
  /** Providers whose circuit breaker has opened since the last check, and their last fault. */
  opened: { provider: string; reason: string | null }[]
  /** Providers that answer, and the time of their last answer. */
  answering: { provider: string; at: number }[]
  at: number
}

/**
 * Notifies that providers are down or answer again, as one node sees it. Each is notified once for all nodes, because
 * the database records which are down. A provider that was down when its node stopped is still notified as recovered.
 */
export async function noteProviders(database: Database, { opened, answering, at }: Seen): Promise<void> {
  const down = await database.read(({ db }) =>
    db.selectFrom('provider_states').select('provider').where('down_since', 'is not', null).execute(),
  )
  const isDown = new Set(down.map((row) => row.provider))
  const falling = opened.filter(({ provider }) => !isDown.has(provider))
  const rising = answering.filter(({ provider }) => isDown.has(provider))
  if (falling.length + rising.length === 0) return
  await database.write(async ({ db: tx, dialect }) => {
    const events: NewEvent[] = []
    for (const { provider, reason } of falling)
      if (await markDown(tx, provider, at))
        events.push({ type: 'provider.down', at, environmentId: null, data: { provider, reason } })
    for (const { provider, at: answeredAt } of rising) {
      const since = await markUp(tx, provider, answeredAt)
      if (since === null) continue
      const data = { provider, down_since: isoTime(since) }
      events.push({ type: 'provider.recovered', at, environmentId: null, data })
    }
    await writeEvents(tx, dialect, events)
  })
}

/** False if another node was first. */
async function markDown(tx: Tx, provider: string, at: number): Promise<boolean> {
  const marked = await tx
    .insertInto('provider_states')
    .values({ provider, paused: 0, changed_at: 0, down_since: at })
    .onConflict((conflict) =>
      conflict.column('provider').doUpdateSet({ down_since: at }).where('provider_states.down_since', 'is', null),
    )
    .returning('provider')
    .executeTakeFirst()
  return marked !== undefined
}

/** Since when it was down; null if it was not, or has not answered since. */
async function markUp(tx: Tx, provider: string, answeredAt: number): Promise<number | null> {
  const row = await tx
    .selectFrom('provider_states')
    .select('down_since')
    .where('provider', '=', provider)
    .executeTakeFirst()
  const since = row?.down_since ?? null
  if (since === null || since >= answeredAt) return null
  const marked = await tx
    .updateTable('provider_states')
    .set({ down_since: null })
    .where('provider', '=', provider)
    .where('down_since', '=', since)
    .returning('provider')
    .executeTakeFirst()
  return marked ? since : null
}
