import { randomBytes } from 'node:crypto'
import type { VitaeEvent } from '@vitae/contract'
import { appendAudit } from '../../audit/audit.ts'
import type { Database } from '../../database/dialect.ts'
import type { Store } from '../../database/store.ts'
import type { WebhookRow } from '../../database/tables.ts'
import { attemptDelivery, type AttemptDeps } from '../../events/webhooks/attempt.ts'
import type { SentEvent } from '../../events/webhooks/event-body.ts'
import type { WebhookOperations } from '../../events/webhooks/operations.ts'
import type { DeliveryView } from '../../events/webhooks/webhook.ts'
import { eventOf } from '../../events/read-events.ts'
import { Failure } from '../../foundation/failure.ts'

export interface AskedDeliveryDeps extends AttemptDeps {
  store: Store<WebhookOperations & typeof askedDeliveryOperations>
}

/** Sends a test event, as an operator asks for it. */
export async function sendTest(
  deps: AskedDeliveryDeps,
  args: { webhookId: string; actor: string },
): Promise<DeliveryView> {
  const at = deps.clock.now()
  const { environment, ...webhook } = await deps.store.startTestDelivery({ ...args, at })
  const event: SentEvent = {
    id: `evt_test_${randomBytes(12).toString('hex')}`,
    type: 'webhook.test',
    at: new Date(at).toISOString(),
    project: webhook.project,
    environment,
    data: { message: 'A test: nothing has happened.' },
  }
  return asked(deps, await attemptDelivery(deps, { webhook, event, kind: 'test', position: null, entityId: null }))
}

/** Sends an event again, as an operator asks for it. */
export async function redeliver(
  deps: AskedDeliveryDeps,
  args: { webhookId: string; eventId: string; actor: string },
): Promise<DeliveryView> {
  const found = await deps.store.startRedelivery({ ...args, at: deps.clock.now() })
  return asked(deps, await attemptDelivery(deps, { ...found, kind: 'redelivery', position: null }))
}

async function asked(
  { store }: AskedDeliveryDeps,
  { deliveryId }: { deliveryId: number | null },
): Promise<DeliveryView> {
  return store.showDelivery({ id: deliveryId ?? 0 })
}

/** What is sent again: the endpoint with its secret, and the event where it belongs to what the endpoint may be told. */
export interface Redelivery {
  webhook: WebhookRow
  event: VitaeEvent
  entityId: number | null
}

/** Finds an endpoint and an event for a delivery that an operator asks for. Audited. */
async function startRedelivery(
  { db, dialect }: Database,
  args: { webhookId: string; eventId: string; actor: string; at: number },
): Promise<Redelivery> {
  return db.transaction().execute(async (tx) => {
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
      (webhook?.environment_id === null
        ? row?.project === webhook.project
        : row?.account_id === webhook?.environment_id)
    if (!webhook || !row || !isOwn)
      throw new Failure('not_found', {
        detail: `There is no event ${args.eventId} for this webhook, or it is no longer kept.`,
      })
    const { actor, at, webhookId: subject } = args
    await appendAudit(tx, dialect, { at, actor, action: 'webhook.redeliver', subject, after: { event: args.eventId } })
    return { webhook, event: eventOf(row), entityId: row.entity_id }
  })
}

/** The endpoint with its secret, for a test delivery that an operator asks for. Audited. */
async function startTestDelivery(
  { db, dialect }: Database,
  { webhookId, actor, at }: { webhookId: string; actor: string; at: number },
): Promise<WebhookRow & { environment: string | null }> {
  return db.transaction().execute(async (tx) => {
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
  })
}

export const askedDeliveryOperations = { startRedelivery, startTestDelivery }
