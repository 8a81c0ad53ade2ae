import type { Selectable } from 'kysely'
import type { Connection, Dialect, Tx } from '../../../database/engine/dialect.ts'
import type { WebhookRetryRow, WebhookRow } from '../../../database/tables/events.ts'
import type { PostResult } from '../delivery/post.ts'
import { isRefusal, pauseAfter, retryTime } from '../delivery/retry-time.ts'
import { isNewest, type Lease } from '../../../work/leases.ts'

/** An attempt to record. */
export interface Attempted {
  webhookId: string
  kind: 'event' | 'redelivery' | 'test'
  event: { id: string; type: string; position: number | null; entityId: number | null }
  result: PostResult
  at: number
  durationMs: number
  /** The sender's lease; null if an operator asked for the attempt. */
  lease: Lease | null
}

/**
 * Records the result of an attempt and what comes next: the following event, another attempt, or a pause. An attempt of
 * a process that lost its lease meanwhile is logged and changes nothing. Nothing is recorded about an erased event.
 */
export async function noteDelivery(connection: Connection, args: Attempted): Promise<{ deliveryId: number | null }> {
  const { db: tx, dialect } = connection
  const row = await tx.selectFrom('webhooks').selectAll().where('id', '=', args.webhookId).executeTakeFirst()
  if (!row) return { deliveryId: null }
  const kept = args.kind === 'test' || (await isKept(tx, dialect, args.event.id))
  const isOurs = args.lease === null || (await isNewest(connection, args.lease))
  const attempt = isOurs ? await moveOn(tx, row, args, kept) : 1
  if (!kept) return { deliveryId: null }
  const { webhookId: webhook_id, kind, event, result, at, durationMs: duration_ms } = args
  const { id } = await tx
    .insertInto('webhook_deliveries')
    .values({
      webhook_id,
      event_id: event.id,
      event_type: event.type,
      entity_id: event.entityId,
      kind,
      at,
      attempt,
      outcome: result.outcome,
      status: result.status,
      answer: result.answer,
      duration_ms,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { deliveryId: id }
}

/** Applies the result of an attempt, and returns the attempt's number for its event. */
async function moveOn(tx: Tx, row: WebhookRow, args: Attempted, kept: boolean): Promise<number> {
  const { event, kind, result } = args
  const retry = await tx
    .selectFrom('webhook_retries')
    .selectAll()
    .where('webhook_id', '=', row.id)
    .where('event_id', '=', event.id)
    .executeTakeFirst()
  if (retry && result.outcome === 'delivered')
    await tx.deleteFrom('webhook_retries').where('id', '=', retry.id).execute()
  if (kind !== 'event') {
    if (result.outcome === 'delivered') await noteAnswer(tx, row)
    return 1
  }
  if (event.position === null) return noteRetry(tx, row, retry, args)
  if (event.position <= row.position) return 1
  await noteEndpoint(tx, row, args, event.position)
  if (result.outcome !== 'delivered' && kept) await setAside(tx, args)
  return 1
}

/** Updates the endpoint after the attempt for a new event. */
async function noteEndpoint(tx: Tx, row: WebhookRow, { result, at }: Attempted, position: number): Promise<void> {
  const update = tx.updateTable('webhooks').where('id', '=', row.id)
  if (result.outcome === 'delivered') {
    await update.set({ position, ...healthy }).execute()
    return
  }
  // A receiver that refuses one event still accepts others, so the next event need not wait.
  const isAlive = isRefusal(result.status)
  const attempts = isAlive ? 0 : row.attempts + 1
  const failing_since = Math.min(row.failing_since ?? at, at)
  const retryAt = result.status === 410 ? null : retryTime(isAlive ? Infinity : attempts, failing_since, at)
  const answer = problemOf(result)
  const problem =
    retryAt === null ? `paused, ${result.status === 410 ? '' : 'three days of failures: '}${answer}` : answer
  const paused = retryAt === null ? { state: 'paused' as const } : {}
  const next_attempt_at = isAlive ? 0 : (retryAt ?? 0)
  await update.set({ position, attempts, failing_since, next_attempt_at, problem, ...paused }).execute()
}

const healthy = { attempts: 0, failing_since: null, next_attempt_at: 0, problem: null }

function problemOf({ status, answer }: PostResult): string {
  return status === null ? answer : `the receiver answered ${status}`
}

/** Starts an event's own retries: the events after it continue. */
async function setAside(tx: Tx, { webhookId, event, result, at }: Attempted): Promise<void> {
  await tx
    .insertInto('webhook_retries')
    .values({
      webhook_id: webhookId,
      event_id: event.id,
      event_type: event.type,
      entity_id: event.entityId,
      attempts: 1,
      failing_since: at,
      next_attempt_at: at + pauseAfter(1),
      parked_at: null,
      problem: problemOf(result),
    })
    .onConflict((conflict) => conflict.columns(['webhook_id', 'event_id']).doNothing())
    .execute()
}

/** Records another attempt for an event with its own retries: it is done, retried later, or parked. */
async function noteRetry(
  tx: Tx,
  row: WebhookRow,
  retry: Selectable<WebhookRetryRow> | undefined,
  { result, at }: Attempted,
): Promise<number> {
  const update = tx.updateTable('webhooks').where('id', '=', row.id)
  if (result.outcome === 'delivered') await update.set(healthy).execute()
  // Only new events count against the endpoint: otherwise one bad event would make it wait for hours.
  else if (result.status === 410)
    await update.set({ state: 'paused', problem: `paused, ${problemOf(result)}` }).execute()
  if (!retry || result.outcome === 'delivered') return (retry?.attempts ?? 0) + 1
  const attempts = retry.attempts + 1
  const failing_since = Math.min(retry.failing_since, at)
  const retryAt = retryTime(attempts, failing_since, at)
  const next = retryAt === null ? { parked_at: at } : { next_attempt_at: retryAt }
  await tx
    .updateTable('webhook_retries')
    .set({ attempts, failing_since, problem: problemOf(result), ...next })
    .where('id', '=', retry.id)
    .execute()
  return attempts
}

/** The receiver answers again, so waiting events are sent now. */
async function noteAnswer(tx: Tx, { id, state, failing_since: failing }: WebhookRow): Promise<void> {
  if (state !== 'active' || failing === null) return
  await tx.updateTable('webhooks').set(healthy).where('id', '=', id).execute()
}

/** Whether the event still exists. It stays locked until this transaction ends, so that an erasure finds the record. */
async function isKept(tx: Tx, dialect: Dialect, eventId: string): Promise<boolean> {
  const query = tx.selectFrom('events').select('id').where('public_id', '=', eventId)
  const row = await dialect.lock(query, { mode: 'key share' }).executeTakeFirst()
  return row !== undefined
}
