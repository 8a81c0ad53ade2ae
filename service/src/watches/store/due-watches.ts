import type { HighestEntry } from '../../credits/prices/compiled-book.ts'
import type { Connection, Tx } from '../../database/dialect.ts'
import { lockEnvironments } from '../../database/sql/lock-environments.ts'
import { isWorkStopped } from '../../database/sql/stopped-work.ts'
import { writeEvents } from '../../events/event-upkeep.ts'
import { utcMonth, dayMs } from '../../foundation/clock.ts'
import { chooseFairly, dueOfEach, type RunningLooks } from './choose-due.ts'
import { addSpent, budgetSpent, reserveCredits } from './watch-budget.ts'
import type { StoredWatch } from './watch-view.ts'

interface ClaimWatches {
  now: number
  /** How many looks may begin. */
  limit: number
  leaseMs: number
  prices: readonly HighestEntry[]
  running?: RunningLooks
}

/**
 * Takes watches that are due, environments in turn. Nobody else gets them until `leaseMs` are over, on no node; one whose node died is given out
 * again then, as the same look. What they may cost is counted, so that the month's limit holds however many run at once.
 */
export async function claimWatches(
  { db: tx, dialect }: Connection,
  { now, limit, leaseMs, prices, running = [] }: ClaimWatches,
): Promise<{ claimed: StoredWatch[]; more: boolean }> {
  if (await isWorkStopped(tx)) return { claimed: [], more: false }
  const chosen = chooseFairly(await dueOfEach(tx, dialect, { now, leaseMs, limit }), running, limit)
  const due = await tx
    .selectFrom('watches')
    .selectAll()
    .where('id', 'in', [...chosen.map(({ id }) => id), ''])
    .where('paused', 'is', null)
    .where('next_due', '<=', now)
    // Another node may have taken it since.
    .where(({ or, eb }) => or([eb('claimed_until', '<=', now), eb('claimed_until', '>', now + 2 * leaseMs)]))
    .orderBy('next_due')
    .$if(dialect === 'postgres', (query) => query.forUpdate().skipLocked())
    .execute()
  // Somebody may still be at work on those that were given out before; what they have paid is seen, and they pay no more.
  const again = due.filter(({ claimed_until: until }) => until > 0).map((watch) => watch.account_id)
  await lockEnvironments(tx, dialect, again)
  const priceOf = await pricesOf(tx, due, prices)
  const claimed: StoredWatch[] = []
  const full = new Set<number>()
  // In the order of environments, so that two nodes lock the months of several in the same order.
  for (const watch of due.toSorted((a, b) => a.account_id - b.account_id)) {
    if (full.has(watch.account_id)) continue
    // One that is given out again may cost more than it had set aside, by a newer book.
    const reserved = Math.max(watch.reserved, priceOf(watch))
    const isCounted = watch.reserved > 0 && reserved === watch.reserved
    const fits = isCounted || (await reserveCredits(tx, watch.account_id, reserved - watch.reserved, now))
    if (fits) claimed.push({ ...watch, reserved, claimed_until: now + leaseMs, lease: watch.lease + 1 })
    else {
      full.add(watch.account_id)
      // What it had set aside stays counted, because it may have been paid.
      if (watch.reserved > 0) await tx.updateTable('watches').set({ reserved: 0 }).where('id', '=', watch.id).execute()
      await pauseForMonth(tx, dialect, watch.account_id, now)
    }
  }
  for (const { id, reserved, claimed_until, lease } of claimed)
    await tx.updateTable('watches').set({ reserved, claimed_until, lease }).where('id', '=', id).execute()
  // Those that were paused, or taken by another node, made room for others.
  return { claimed, more: claimed.length < chosen.length }
}

/** What a look at each costs at most where it belongs to. */
async function pricesOf(
  tx: Tx,
  due: readonly StoredWatch[],
  prices: readonly HighestEntry[],
): Promise<(watch: StoredWatch) => number> {
  const ids = [...new Set(due.map((watch) => watch.account_id))]
  const rows = ids.length === 0 ? [] : await tx.selectFrom('environments').selectAll().where('id', 'in', ids).execute()
  const places = new Map(rows.map((row) => [row.id, row]))
  return ({ account_id, kind }) => {
    const place = places.get(account_id)
    const entry = prices.find(
      ({ project, environment }) =>
        (project === null || project === place?.project) && (environment === null || environment === place?.name),
    )
    return entry?.highest[kind] ?? 0
  }
}

async function pauseForMonth(tx: Tx, dialect: Connection['dialect'], environmentId: number, at: number): Promise<void> {
  await tx
    .updateTable('watches')
    .set({ paused: budgetSpent })
    .where('account_id', '=', environmentId)
    .where('paused', 'is', null)
    .where('reserved', '=', 0)
    .execute()
  const { spent, max_credits: budget } = await tx
    .selectFrom('watch_budgets')
    .selectAll()
    .where('account_id', '=', environmentId)
    .executeTakeFirstOrThrow()
  const data = { month: utcMonth(at), spent, budget: budget ?? 0, of: 'watches' as const }
  await writeEvents(tx, dialect, [{ type: 'budget.reached', at, environmentId, data }])
}

/** How a look ended. */
export type WatchEnd =
  | { answered: { entityId: number | null; fetchedAt: number; source: string; charged: number | null } }
  /** Nobody knows the record: the next look is the next due one. */
  | { missed: string }
  /** It is tried again sooner. */
  | { failed: string }

interface FinishWatch {
  id: string
  /** The lease of the look: one that another node has taken over is left alone. */
  lease: number
  end: WatchEnd
  at: number
}

/** Writes down how a look ended, and when the next one is due. */
export async function finishWatch({ db: tx }: Connection, { id, lease, end, at }: FinishWatch): Promise<void> {
  const watch = await tx
    .selectFrom('watches')
    .selectAll()
    .where('id', '=', id)
    .where('lease', '=', lease)
    .executeTakeFirst()
  if (!watch) return
  const charged = 'answered' in end ? (end.answered.charged ?? watch.reserved) : 0
  await addSpent(tx, watch.account_id, charged - watch.reserved)
  const next = 'failed' in end ? at + (watch.every_days * dayMs) / triesPerInterval : await nextDue(tx, watch, at)
  await tx
    .updateTable('watches')
    .set({ ...outcome(end, at), next_due: next, claimed_until: 0, reserved: 0 })
    .where('id', '=', id)
    .execute()
}

/** While no provider answers, a look is tried so often in each interval. */
const triesPerInterval = 24

function outcome(end: WatchEnd, at: number): Partial<StoredWatch> {
  if ('missed' in end) return { looked_at: at, result: end.missed }
  if ('failed' in end) return { result: end.failed }
  const { entityId, fetchedAt, source } = end.answered
  return { looked_at: at, result: source, seen_at: fetchedAt, ...(entityId === null ? {} : { entity_id: entityId }) }
}

/** A few watches need not make way for each other by more than this part of their interval. */
const leastShares = 200

/**
 * One interval after this look at the earliest, and later where the environment's others stand there already: looks that
 * began together spread over half an interval, and then keep their distance.
 */
async function nextDue(tx: Tx, watch: StoredWatch, at: number): Promise<number> {
  const intervalMs = watch.every_days * dayMs
  const others = await tx
    .selectFrom('watches')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.max('next_due').as('last')])
    .where('account_id', '=', watch.account_id)
    .where('every_days', '=', watch.every_days)
    .where('paused', 'is', null)
    .where('id', '<>', watch.id)
    .executeTakeFirstOrThrow()
  const apartMs = Math.floor(intervalMs / Math.max(2 * (Number(others.count) + 1), leastShares))
  // Others may have been written by a clock that was wrong.
  const last = Math.min(others.last ?? 0, at + 1.5 * intervalMs)
  return Math.max(at + intervalMs, last + apartMs)
}
