import type { VitaeEvent } from '@vitae/contract'
import type { Selectable } from 'kysely'
import { report, write } from '../../../database/engine/operation.ts'
import type { Connection } from '../../../database/engine/dialect.ts'
import type { WebhookRetryRow, WebhookRow } from '../../../database/tables/events.ts'
import { eventOf } from '../../outbox/read-events.ts'
import { isDue, longestPauseMs } from '../delivery/retry-time.ts'
import { parkedView, type ParkedEventView } from '../delivery/webhook.ts'

type Db = Connection['db']

/** An event that an endpoint is to be notified of. */
export interface NextEvent {
  /** Its position in the feed; null for one that is retried separately. */
  position: number | null
  entityId: number | null
  event: VitaeEvent
}

/** The endpoints with a due retry. Two index probes per endpoint, however many retries wait. */
export async function endpointsWithRetries(db: Db, now: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('webhooks')
    .select((eb) => {
      const waiting = eb
        .selectFrom('webhook_retries')
        .whereRef('webhook_id', '=', 'webhooks.id')
        .where('parked_at', 'is', null)
      return [
        'webhooks.id',
        waiting.select((retry) => retry.fn.min('next_attempt_at').as('at')).as('first'),
        waiting.select((retry) => retry.fn.max('next_attempt_at').as('at')).as('last'),
      ]
    })
    .where('state', '=', 'active')
    .execute()
  const due = rows.filter(
    ({ first, last }) => first !== null && (Number(first) <= now || Number(last) > now + longestPauseMs),
  )
  return new Set(due.map(({ id }) => id))
}

const removedAtOnce = 100

/** The longest due retry. Retries whose event is deleted or no longer wanted are removed on the way. */
export async function nextRetry(db: Db, webhook: WebhookRow, now: number): Promise<NextEvent | null> {
  const wanted = JSON.parse(webhook.events) as string[]
  for (let removed = 0; removed < removedAtOnce; removed++) {
    const retry = (await dueRetry(db, webhook, now, 'asc')) ?? (await dueRetry(db, webhook, now, 'desc'))
    if (!retry) return null
    const row = await db
      .selectFrom('events')
      .leftJoin('environments', 'environments.id', 'events.account_id')
      .selectAll('events')
      .select(['environments.project', 'environments.name as environment'])
      .where('public_id', '=', retry.event_id)
      .executeTakeFirst()
    if (row && wanted.includes(row.type)) return { position: null, entityId: row.entity_id, event: eventOf(row) }
    await db.deleteFrom('webhook_retries').where('id', '=', retry.id).execute()
  }
  // The rest is handled in the next round: others use the store too.
  return null
}

/** The first or the last waiting retry, if it is due; the last one is due if a clock was wrong. */
async function dueRetry(
  db: Db,
  webhook: WebhookRow,
  now: number,
  order: 'asc' | 'desc',
): Promise<Pick<Selectable<WebhookRetryRow>, 'id' | 'event_id'> | null> {
  const row = await db
    .selectFrom('webhook_retries')
    .select(['id', 'event_id', 'attempts', 'next_attempt_at'])
    .where('webhook_id', '=', webhook.id)
    .where('parked_at', 'is', null)
    .orderBy('next_attempt_at', order)
    .limit(1)
    .executeTakeFirst()
  return row && isDue(webhook, now, row) ? row : null
}

/** The parked events of an endpoint, newest first. */
async function listParkedEvents(
  { db }: Connection,
  args: { webhookId: string; limit: number; before: number | null },
): Promise<ParkedEventView[]> {
  const rows = await db
    .selectFrom('webhook_retries')
    .selectAll()
    .where('webhook_id', '=', args.webhookId)
    .where('parked_at', 'is not', null)
    .$if(args.before !== null, (query) => query.where('id', '<', args.before ?? 0))
    .orderBy('id', 'desc')
    .limit(args.limit)
    .execute()
  return rows.map(parkedView)
}

const movedAtOnce = 2_000

/**
 * Makes waiting or parked events of an endpoint due at once, in chunks; returns 0 if none is left. Their three days
 * begin again.
 */
async function retryNow(
  { db }: Connection,
  { webhookId, which, at }: { webhookId: string; which: 'waiting' | 'parked'; at: number },
): Promise<{ moved: number }> {
  const some = db
    .selectFrom('webhook_retries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .$if(which === 'parked', (query) => query.where('parked_at', 'is not', null).orderBy('id'))
    .$if(which === 'waiting', (query) =>
      query.where('parked_at', 'is', null).where('next_attempt_at', '>', at).orderBy('next_attempt_at'),
    )
    .limit(movedAtOnce)
  const { numUpdatedRows } = await db
    .updateTable('webhook_retries')
    .set({ attempts: 0, failing_since: at, next_attempt_at: at, parked_at: null })
    .where('id', 'in', some)
    .executeTakeFirst()
  db.wakesSender = true
  return { moved: Number(numUpdatedRows) }
}

export const retryOperations = {
  listParkedEvents: report(listParkedEvents),
  retryNow: write(retryNow),
}
