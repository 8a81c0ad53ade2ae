import type { LeaseStore } from '../../work/leases.ts'
import type { ResidueStore } from '../store/operations.ts'
import { type Clock, dayMs } from '../../foundation/clock.ts'
import type { Rewritten } from '../../database/postgres/rewrite-tables.ts'
import type { RewriteOf } from '../store/erasure/rewrite-operations.ts'

/*
 * Everything that SQL can reach is gone when an erasure answers. On PostgreSQL the bytes of deleted rows stay in unused
 * parts of pages, until one rewrite a day removes them.
 */

const hourMs = 3_600_000
/** How long a rewrite may take before it counts as overdue. */
const rewriteMs = hourMs
type RewriteStore = {
  residue: Pick<ResidueStore, 'bytesLeft' | 'takeRewrite' | 'rewriteTables' | 'endRewrites'>
  leases: Pick<LeaseStore, 'endLease'>
}

/** When the bytes of deleted rows are gone. */
export interface BytesGone {
  /** The time by which they will be gone; null while the erasure is in progress. */
  by: number | null
  /** Null until they are gone. */
  at: number | null
}

/** When rows deleted at a time are rewritten: at the first time of day after it. */
function rewriteAfter(since: number, timeOfDayMs: number): number {
  const today = since - (since % dayMs) + timeOfDayMs
  return today > since ? today : today + dayMs
}

/** The time by which rows deleted at a time are gone. */
export function bytesGoneBy(since: number, timeOfDayMs: number): number {
  return rewriteAfter(since, timeOfDayMs) + rewriteMs
}

/** Rewrites the tables with deleted rows if it is time, on one node. It stays due until every table was rewritten. */
export async function rewriteWhenDue(
  store: RewriteStore,
  clock: Clock,
  { timeOfDayMs, holder }: { timeOfDayMs: number; holder: string },
): Promise<Rewritten | null> {
  const waiting = await store.residue.bytesLeft(null)
  if (!waiting) return null
  if (!waiting.hasBegun && rewriteAfter(waiting.since, timeOfDayMs) > clock.now()) return null
  const lease = await store.residue.takeRewrite({ holder })
  if (!lease) return null
  try {
    return await rewriteNow(store, clock)
  } finally {
    await store.leases.endLease(lease)
  }
}

/** Rewrites the tables with deleted rows immediately. */
export async function rewriteNow(
  store: { residue: Pick<ResidueStore, 'rewriteTables' | 'endRewrites'> },
  clock: Clock,
): Promise<Rewritten> {
  const rewritten = await store.residue.rewriteTables({ now: clock.now() })
  await store.residue.endRewrites({ now: clock.now() })
  return rewritten
}

/** The files after an erasure: the tables of PostgreSQL with deleted rows, and when their bytes are gone. */
export async function filesAfter(
  store: { residue: Pick<ResidueStore, 'bytesLeft'> },
  { clock, timeOfDayMs }: { clock: Clock; timeOfDayMs: number },
): Promise<{ left: string[]; gone: BytesGone }> {
  const waiting = await store.residue.bytesLeft(null)
  const now = clock.now()
  if (!waiting) return { left: [], gone: { by: now, at: now } }
  return { left: waiting.tables, gone: { by: bytesGoneBy(waiting.since, timeOfDayMs), at: null } }
}

/** When the bytes of an erasure in the list are gone. */
export function goneOf(rewrite: RewriteOf | undefined, erasedAt: number, timeOfDayMs: number): BytesGone {
  if (rewrite?.isInProgress) return { by: null, at: null }
  if (!rewrite || rewrite.since === null) return { by: erasedAt, at: erasedAt }
  return { by: bytesGoneBy(rewrite.since, timeOfDayMs), at: rewrite.endedAt }
}
