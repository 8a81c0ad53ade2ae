import { appendAudit } from '../../../audit/audit.ts'
import type { Connection, Database } from '../../../database/engine/dialect.ts'
import { long, write } from '../../../database/engine/operation.ts'
import { isoTime } from '../../../foundation/clock.ts'
import { Failure } from '../../../foundation/failure.ts'
import { readEvents } from '../../outbox/read-events.ts'
import { nextAttemptAt } from '../delivery/retry-time.ts'
import { nextOf } from '../store/delivery-operations.ts'
import { findEvent } from './asked-delivery-operations.ts'

/** An event that waits for an endpoint. */
export interface QueuedEvent {
  event: string
  type: string
  /** When it happened; for a retried event, when it first failed. */
  since: string
  attempts: number
  next_attempt_at: string | null
  /** Why the last attempt failed; null if there was none. */
  problem: string | null
}

/** The queue of an endpoint: first the events that are retried separately, then the next ones. */
async function webhookQueue(
  database: Database,
  { webhookId, limit, now }: { webhookId: string; limit: number; now: number },
): Promise<QueuedEvent[]> {
  const webhook = await database.read(({ db }) =>
    db.selectFrom('webhooks').selectAll().where('id', '=', webhookId).executeTakeFirst(),
  )
  if (!webhook) throw new Failure('not_found', { detail: `There is no webhook ${webhookId}.` })
  const retries = await database.read(({ db }) =>
    db
      .selectFrom('webhook_retries')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .where('parked_at', 'is', null)
      .orderBy('next_attempt_at')
      .limit(limit)
      .execute(),
  )
  const next = await readEvents(database, { after: webhook.position, ...nextOf(webhook), limit, now })
  const retried = retries.map((row) => ({
    event: row.event_id,
    type: row.event_type,
    since: isoTime(row.failing_since),
    attempts: row.attempts,
    next_attempt_at: isoTime(nextAttemptAt(webhook, row)),
    problem: row.problem,
  }))
  const waiting = next.map(({ event }, place) => ({
    event: event.id,
    type: event.type,
    since: event.at,
    attempts: 0,
    // The later ones are sent in turn.
    next_attempt_at: place === 0 ? isoTime(nextAttemptAt(webhook) || null) : null,
    problem: null,
  }))
  return [...retried, ...waiting].slice(0, limit)
}

interface Skip {
  webhookId: string
  eventId: string
  actor: string
  at: number
}

/** Removes an event from the queue of an endpoint for good: a retried or parked one, or the next one. Audited. */
async function skipWebhookEvent({ db: tx, dialect }: Connection, args: Skip): Promise<void> {
  const { webhookId, eventId, actor, at } = args
  const { webhook, row } = await findEvent(tx, { webhookId, eventId })
  const { numDeletedRows } = await tx
    .deleteFrom('webhook_retries')
    .where('webhook_id', '=', webhookId)
    .where('event_id', '=', eventId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) {
    if (row.position === null || row.position <= webhook.position)
      throw new Failure('conflict', { detail: 'This event is no longer in the queue: it was sent or skipped.' })
    await tx
      .updateTable('webhooks')
      .set({ position: row.position, attempts: 0, failing_since: null, next_attempt_at: 0 })
      .$if(webhook.state === 'active', (query) => query.set({ problem: null }))
      .where('id', '=', webhookId)
      .execute()
  }
  await appendAudit(tx, dialect, { at, actor, action: 'webhook.skip', subject: webhookId, after: { event: eventId } })
}

export const queueOperations = {
  webhookQueue: long(webhookQueue),
  skipWebhookEvent: write(skipWebhookEvent),
}
