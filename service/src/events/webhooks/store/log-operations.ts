import { long, read, report, single } from '../../../database/engine/operation.ts'
import type { Connection, Database, Tx } from '../../../database/engine/dialect.ts'
import { Failure } from '../../../foundation/failure.ts'
import { readEvents } from '../../outbox/read-events.ts'
import { nextOf } from './delivery-operations.ts'
import { deliveryView, type DeliveryView } from '../delivery/webhook.ts'

/** The attempts for an endpoint, newest first. */
async function listDeliveries(
  { db }: Connection,
  args: { webhookId: string; limit: number; before: number | null },
): Promise<DeliveryView[]> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', args.webhookId)
    .$if(args.before !== null, (query) => query.where('id', '<', args.before ?? 0))
    .orderBy('id', 'desc')
    .limit(args.limit)
    .execute()
  return rows.map(deliveryView)
}

async function showDelivery({ db }: Connection, { id }: { id: number }): Promise<DeliveryView> {
  const row = await db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw new Failure('not_found', { detail: `There is no delivery dlv_${id}.` })
  return deliveryView(row)
}

const removedAtOnce = 1_000

/** Deletes attempts whose event is no longer stored, and tests from before a given time, in chunks. */
async function pruneDeliveries(
  { db }: Connection,
  { testsBefore }: { testsBefore: number },
): Promise<{ done: boolean }> {
  const old = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where((eb) =>
      eb.or([
        eb.and([eb('kind', '=', 'test'), eb('at', '<', testsBefore)]),
        eb.and([
          eb('kind', '<>', 'test'),
          eb.not(eb.exists(eb.selectFrom('events').select('id').whereRef('public_id', '=', 'event_id'))),
        ]),
      ]),
    )
    .limit(removedAtOnce)
  const result = await db.deleteFrom('webhook_deliveries').where('id', 'in', old).executeTakeFirst()
  return { done: Number(result.numDeletedRows) < removedAtOnce }
}

const endpointsAtMost = 1_000
const parkedCounted = 1_000

/**
 * For Prometheus: the longest wait of an event for an active endpoint, the number of paused endpoints, and the number
 * of parked events, at most 1,000.
 */
async function webhookGauges(
  database: Database,
  { now }: { now: number },
): Promise<{ oldestMs: number; paused: number; parked: number }> {
  const rows = await database.read(({ db }) => db.selectFrom('webhooks').selectAll().limit(endpointsAtMost).execute())
  let oldest = now
  for (const row of rows.filter(({ state }) => state === 'active')) {
    const [first] = await readEvents(database, { after: row.position, ...nextOf(row), now })
    oldest = Math.min(oldest, first ? Date.parse(first.event.at) : now)
  }
  const parked = await database.read(({ db }) =>
    db.selectFrom('webhook_retries').select('id').where('parked_at', 'is not', null).limit(parkedCounted).execute(),
  )
  const paused = rows.filter(({ state }) => state === 'paused').length
  return { oldestMs: now - oldest, paused, parked: parked.length }
}

export const logOperations = {
  listDeliveries: report(listDeliveries),
  showDelivery: read(showDelivery),
  pruneDeliveries: single(pruneDeliveries),
  webhookGauges: long(webhookGauges),
}

/** Shorter answers, such as "ok", name nobody. */
const shortestAnswer = 16

/** The receivers' answers to events about these records, as the store's files contain them. */
export async function deliveryAnswers(tx: Tx, entityIds: readonly number[]): Promise<Uint8Array[]> {
  const rows = await tx
    .selectFrom('webhook_deliveries')
    .select('answer')
    .where('entity_id', 'in', [...entityIds, -1])
    .execute()
  return rows.flatMap(({ answer }) => (answer.length < shortestAnswer ? [] : [new Uint8Array(Buffer.from(answer))]))
}

/** Deletes the delivery log of events about these records, and their pending deliveries. */
export async function removeDeliveries(tx: Tx, entityIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('webhook_deliveries')
    .where('entity_id', 'in', [...entityIds, -1])
    .execute()
  await tx
    .deleteFrom('webhook_retries')
    .where('entity_id', 'in', [...entityIds, -1])
    .execute()
}
