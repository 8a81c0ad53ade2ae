import { write } from '../../../database/engine/operation.ts'
import type { VitaeEvent } from '@vitae/contract'
import { appendAudit } from '../../../audit/audit.ts'
import type { Connection, Tx } from '../../../database/engine/dialect.ts'
import type { WebhookRow } from '../../../database/tables/events.ts'
import { eventOf } from '../../outbox/read-events.ts'
import { Failure } from '../../../foundation/failure.ts'

/** A redelivery: the endpoint with its secret, and the event if the endpoint may be notified of it. */
interface Redelivery {
  webhook: WebhookRow
  event: VitaeEvent
  entityId: number | null
}

/** An endpoint and an event that it may be notified of; any other event counts as missing. */
export async function findEvent(tx: Tx, args: { webhookId: string; eventId: string }) {
  const webhook = await tx.selectFrom('webhooks').selectAll().where('id', '=', args.webhookId).executeTakeFirst()
  const row = await tx
    .selectFrom('events')
    .leftJoin('environments', 'environments.id', 'events.account_id')
    .selectAll('events')
    .select(['environments.project', 'environments.name as environment'])
    .where('public_id', '=', args.eventId)
    .executeTakeFirst()
  const isOwn =
    row?.account_id === null ||
    (webhook?.environment_id === null ? row?.project === webhook.project : row?.account_id === webhook?.environment_id)
  if (!webhook || !row || !isOwn)
    throw new Failure('not_found', {
      detail: `There is no event ${args.eventId} for this webhook, or it is no longer kept.`,
    })
  return { webhook, row }
}

/** An endpoint and its event for an operator who reads or resends it. It may be about a person, so this is audited. */
async function openEvent(
  { db: tx, dialect }: Connection,
  args: { webhookId: string; eventId: string; to: 'redeliver' | 'look'; actor: string; at: number },
): Promise<Redelivery> {
  const { webhook, row } = await findEvent(tx, args)
  const { actor, at, webhookId: subject, to } = args
  await appendAudit(tx, dialect, { at, actor, action: `webhook.${to}`, subject, after: { event: args.eventId } })
  return { webhook, event: eventOf(row), entityId: row.entity_id }
}

/** The endpoint with its secret, for a test delivery by an operator. Audited. */
async function startTestDelivery(
  { db: tx, dialect }: Connection,
  { webhookId, actor, at }: { webhookId: string; actor: string; at: number },
): Promise<WebhookRow & { environment: string | null }> {
  const webhook = await tx
    .selectFrom('webhooks')
    .leftJoin('environments', 'environments.id', 'webhooks.environment_id')
    .selectAll('webhooks')
    .select('environments.name as environment')
    .where('webhooks.id', '=', webhookId)
    .executeTakeFirst()
  if (!webhook) throw new Failure('not_found', { detail: `There is no webhook ${webhookId}.` })
  await appendAudit(tx, dialect, { at, actor, action: 'webhook.test', subject: webhookId })
  return webhook
}

// Separate from the sender: the store's thread loads this file and needs no HTTP client.
export const askedDeliveryOperations = {
  openEvent: write(openEvent),
  startTestDelivery: write(startTestDelivery),
}
