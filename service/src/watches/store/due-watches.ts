import type { HighestEntry } from '../../credits/prices/compiled-book.ts'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { lockEnvironments } from '../../database/sql/lock-environments.ts'
import { isWorkStopped } from '../../database/sql/stopped-work.ts'
import { writeEvents } from '../../events/outbox/event-upkeep.ts'
import { utcMonth, dayMs } from '../../foundation/clock.ts'
import { chooseFairly } from '../../work/choose-fairly.ts'
import { claimLeases, endLease, isFree } from '../../work/leases.ts'
import { dueOfEach } from './choose-due.ts'
import { addSpent, budgetSpent, reserveCredits } from './watch-budget.ts'
import type { StoredWatch } from './watch-view.ts'

interface ClaimWatches {
  now: number
  /** How many refreshes may begin. */
  limit: number
  leaseMs: number
  prices: readonly HighestEntry[]
  /** The number of refreshes in progress on this node, per environment. */
  running?: readonly (readonly [environmentId: number, refreshes: number])[]
}

/**
 * Claims due watches, taking turns between environments. No node can claim them again within `leaseMs`. If the node
 * dies, the same refresh is claimed again afterwards. Their maximum cost is reserved, so that the monthly limit holds
 * however many run concurrently.
 */
export async function claimWatches(
  connection: Connection,
  { now, limit, leaseMs, prices, running = [] }: ClaimWatches,
): Promise<{ claimed: StoredWatch[]; more: boolean }> {
  const { db: tx, dialect } = connection
  if (await isWorkStopped(tx)) return { claimed: [], more: false }
  const ofEach = await dueOfEach(tx, dialect, { now, leaseMs, limit })
  // As at a provider: however slow the refreshes of an environment are, another's next one finds a slot.
  const chosen = chooseFairly(ofEach, new Map(running), { limit, mostOf: (left) => 3 * left })
  const due = await tx
    .selectFrom('watches')
    .selectAll()
    .where('id', 'in', [...chosen.map(({ id }) => id), ''])
    .where('paused', 'is', null)
    .where('next_due', '<=', now)
    // Another node may have claimed it since.
    .where(isFree(dialect, 'watches', { leaseMs, now }))
    .orderBy('next_due')
    .orderBy('id')
    .$call((query) => dialect.lock(query, { skipLocked: true }))
    .execute()
  // Another node may still work on watches that were claimed before. Under this lock its payments are visible, and it
  // cannot pay any more.
  const again = due.filter(({ claimed_until: until }) => until > 0).map((watch) => watch.account_id)
  await lockEnvironments(tx, dialect, again)
  const priceOf = await pricesOf(tx, due, prices)
  const reservedOf = new Map<string, number>()
  const full = new Set<number>()
  // Ordered by environment, so that two nodes lock several months in the same order.
  for (const watch of due.toSorted((a, b) => a.account_id - b.account_id)) {
    if (full.has(watch.account_id)) continue
    // A watch that is claimed again may cost more than it had reserved, because of a newer price book.
    const reserved = Math.max(watch.reserved, priceOf(watch))
    const isCounted = watch.reserved > 0 && reserved === watch.reserved
    const fits = isCounted || (await reserveCredits(tx, watch.account_id, reserved - watch.reserved, now))
    if (fits) reservedOf.set(watch.id, reserved)
    else {
      full.add(watch.account_id)
      // Its earlier reservation stays counted, because it may have been paid.
      if (watch.reserved > 0) await tx.updateTable('watches').set({ reserved: 0 }).where('id', '=', watch.id).execute()
      await pauseForMonth(tx, dialect, watch.account_id, now)
    }
  }
  const numbers = await claimLeases(connection, 'watches', { ids: [...reservedOf.keys()], leaseMs, now })
  const claimed = due.flatMap((watch) => {
    const lease = numbers.get(watch.id)
    return lease === undefined ? [] : [{ ...watch, lease, reserved: reservedOf.get(watch.id) ?? watch.reserved }]
  })
  for (const { id, reserved } of claimed)
    await tx.updateTable('watches').set({ reserved }).where('id', '=', id).execute()
  // Paused watches, and those claimed by another node, made room for others.
  return { claimed, more: claimed.length < chosen.length }
}

/** The highest price of a refresh of each watch in its environment. */
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

/** The result of a refresh. */
export type WatchEnd =
  | { answered: { entityId: number | null; fetchedAt: number; source: string; charged: number | null } }
  /** No provider has the record: the next refresh is at the regular time. */
  | { missed: string }
  /** It is retried sooner. */
  | { failed: string }

interface FinishWatch {
  id: string
  /** The lease of the refresh: one that another node has taken over is not changed. */
  lease: number
  end: WatchEnd
  at: number
}

/** Records the result of a refresh and schedules the next one. */
export async function finishWatch(connection: Connection, { id, lease, end, at }: FinishWatch): Promise<void> {
  const { db: tx } = connection
  if (!(await endLease(connection, { of: 'watches', id, number: lease }))) return
  const watch = await tx.selectFrom('watches').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const charged = 'answered' in end ? (end.answered.charged ?? watch.reserved) : 0
  await addSpent(tx, watch.account_id, charged - watch.reserved)
  const next = 'failed' in end ? at + (watch.every_days * dayMs) / triesPerInterval : await nextDue(tx, watch, at)
  await tx
    .updateTable('watches')
    .set({ ...outcome(end, at), next_due: next, reserved: 0 })
    .where('id', '=', id)
    .execute()
}

/** While no provider answers, a refresh is retried this many times per interval. */
const triesPerInterval = 24

function outcome(end: WatchEnd, at: number): Partial<StoredWatch> {
  if ('missed' in end) return { looked_at: at, result: end.missed }
  if ('failed' in end) return { result: end.failed }
  const { entityId, fetchedAt, source } = end.answered
  return { looked_at: at, result: source, seen_at: fetchedAt, ...(entityId === null ? {} : { entity_id: entityId }) }
}

/** Watches of an environment are spaced by at most 1/200 of their interval. */
const leastShares = 200

/**
 * At least one interval after this refresh, and later if other watches of the environment are due then: refreshes that
 * began together spread over half an interval and then keep their distance.
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
  // Other times may have been written by a wrong clock.
  const last = Math.min(others.last ?? 0, at + 1.5 * intervalMs)
  return Math.max(at + intervalMs, last + apartMs)
}
