import type { WebhookStore } from './operations.ts'
import type { WebhookRow } from '../../database/tables/events.ts'
import type { Clock } from '../../foundation/clock.ts'
import { version } from '../../foundation/version.ts'
import type { Lease } from '../../work/leases.ts'
import { eventBody, type SentEvent } from './delivery/event-body.ts'
import type { Attempted } from './store/note-delivery.ts'
import { post, type PostDeps, type PostResult } from './delivery/post.ts'
import { openSealed, signedHeaders } from './secrets.ts'

export interface AttemptDeps {
  store: { webhooks: Pick<WebhookStore, 'noteDelivery'> }
  clock: Clock
  /** The service's own secret, which encrypts the endpoints' secrets. */
  secret: string
  target: PostDeps
  /** Called for every attempt. */
  onAttempt(outcome: PostResult['outcome']): void
}

interface Attempt {
  webhook: WebhookRow
  event: SentEvent
  kind: Attempted['kind']
  position: number | null
  entityId: number | null
  /** The sender's lease; an operator needs none. */
  lease?: Lease
}

/** Sends an event to an endpoint once and records the result. */
export async function attemptDelivery(
  deps: AttemptDeps,
  { webhook, event, kind, position, entityId, lease }: Attempt,
  stop?: AbortSignal,
): Promise<{ result: PostResult; deliveryId: number | null }> {
  const startedAt = deps.clock.now()
  const began = performance.now()
  const result = await sendSigned(deps, webhook, event, startedAt, stop)
  // Interrupted by the shutdown of this process: nothing is known about the receiver, and the event is sent again.
  if (stop?.aborted && result.outcome !== 'delivered') return { result, deliveryId: null }
  deps.onAttempt(result.outcome)
  const { deliveryId } = await deps.store.webhooks.noteDelivery({
    webhookId: webhook.id,
    kind,
    event: { id: event.id, type: event.type, position, entityId },
    result,
    at: deps.clock.now(),
    durationMs: Math.round(performance.now() - began),
    lease: lease ?? null,
  })
  return { result, deliveryId }
}

async function sendSigned(
  { secret, target }: AttemptDeps,
  webhook: WebhookRow,
  event: SentEvent,
  at: number,
  stop: AbortSignal | undefined,
): Promise<PostResult> {
  const secrets = secretsOf(webhook, secret, at)
  if (secrets === null)
    return {
      outcome: 'refused',
      status: null,
      answer: "its secret cannot be decrypted with this service's secret: rotate the webhook",
    }
  const body = eventBody(webhook.format, event)
  const headers = {
    'content-type': 'application/json',
    'user-agent': `Vitae/${version}`,
    ...signedHeaders(secrets, { id: event.id, at, body }),
  }
  return post(target, { url: webhook.url, headers, body }, stop)
}

/** The secrets that currently sign, the current one first; null if it cannot be decrypted. */
function secretsOf(webhook: WebhookRow, serviceSecret: string, at: number): string[] | null {
  const present = openSealed(serviceSecret, webhook.id, webhook.secret)
  if (present === null) return null
  const { previous_secret: sealed, previous_until: until } = webhook
  const previous = sealed === null || at >= (until ?? 0) ? null : openSealed(serviceSecret, webhook.id, sealed)
  return previous === null ? [present] : [present, previous]
}
