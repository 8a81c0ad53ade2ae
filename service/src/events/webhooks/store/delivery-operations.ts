import type { VitaeEvent } from '@vitae/contract'
import { long, shared } from '../../../database/engine/operation.ts'
import { isWorkStopped } from '../../../database/sql/stopped-work.ts'
import type { Connection, Database } from '../../../database/engine/dialect.ts'
import type { WebhookRow } from '../../../database/tables/events.ts'
import { publishEvents } from '../../outbox/publish-events.ts'
import { selectEvents } from '../../outbox/read-events.ts'
import { isDue } from '../delivery/retry-time.ts'
import { noteDelivery } from './note-delivery.ts'
import { endpointsWithRetries, nextRetry, type NextEvent } from './retry-operations.ts'
import { isNewest, takeLease, type Lease } from '../../../work/leases.ts'

const positionSetting = 'events.position'

/** Possible work: endpoints that may have events, and the position of the newest event. */
export interface WebhookWork {
  /** The sender's lease; null if no endpoint is due and nobody needs it. */
  lease: Lease | null
  endpoints: { id: string; position: number; hasRetry: boolean }[]
  newest: number
}

/**
 * Makes this process the sender, or renews its lease, and returns what may be due; null if another process sends. The
 * lease expires by the database's clock, so that another process continues the work of a dead one.
 */
async function takeWebhookWork(
  database: Database,
  args: { holder: string; held: Lease | null; leaseMs: number; now: number },
): Promise<WebhookWork | null> {
  if (await database.read(({ db }) => isWorkStopped(db))) return null
  const active = await database.read(({ db }) =>
    db
      .selectFrom('webhooks')
      .select(['id', 'position', 'state', 'attempts', 'next_attempt_at'])
      .where('state', '=', 'active')
      .orderBy('id')
      .execute(),
  )
  const due = active.filter((row) => isDue(row, args.now))
  if (due.length === 0) return { lease: args.held, endpoints: [], newest: 0 }
  const lease = await database.single((connection) => takeLease(connection, { name: leaseName, ...args }))
  if (!lease) return null
  await publishEvents(database, args)
  const retrying = await database.read(({ db }) => endpointsWithRetries(db, args.now))
  const endpoints = due.map(({ id, position }) => ({ id, position, hasRetry: retrying.has(id) }))
  return { lease, endpoints, newest: await database.read(newestPosition) }
}

const leaseName = 'webhooks'

async function newestPosition({ db }: Connection): Promise<number> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', positionSetting).executeTakeFirst()
  return Number(row?.value ?? 0)
}

/** The next event for an endpoint, and the endpoint's current state. */
export interface NextDelivery {
  webhook: WebhookRow
  /** Null if no event waits up to `newest`. */
  next: NextEvent | null
  newest: number
}

interface AskNext {
  id: string
  lease: Lease
  after: number
  /** Whether a due retry comes before a new event. This alternates, so that neither starves the other. */
  retryFirst: boolean
  now: number
}

/**
 * The next event for an endpoint; null if it is paused, not due or deleted, or if another process has become the
 * sender.
 */
async function nextWebhookDelivery(database: Database, args: AskNext): Promise<NextDelivery | null> {
  await publishEvents(database, args)
  return database.single((connection) => findNext(connection, args))
}

async function findNext(connection: Connection, args: AskNext): Promise<NextDelivery | null> {
  const { id, lease, after, retryFirst, now } = args
  const { db } = connection
  if (!(await isNewest(connection, lease))) return null
  const webhook = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
  if (!webhook || !isDue(webhook, now)) return null
  const newest = await newestPosition(connection)
  const retry = retryFirst ? await nextRetry(db, webhook, now) : null
  if (retry) return { webhook, next: retry, newest }
  const from = Math.max(after, webhook.position)
  const [fresh] = await selectEvents(connection, { after: from, ...nextOf(webhook), now })
  if (!fresh) await passOver(db, webhook, newest)
  const next = fresh ?? (retryFirst ? null : await nextRetry(db, webhook, now))
  return { webhook, next, newest }
}

/** Positions are microseconds: an endpoint without events of its own is written at most once a minute. */
const passOverStep = 60_000_000

/** Stores that an endpoint had no events up to here, so that they are not read again. */
async function passOver(db: Connection['db'], { id, position }: WebhookRow, newest: number): Promise<void> {
  if (newest - position < passOverStep) return
  await db
    .updateTable('webhooks')
    .set({ position: newest })
    .where('id', '=', id)
    .where('position', '<', newest)
    .execute()
}

/** The query for the next event of an endpoint. */
export function nextOf({ project, environment_id: environmentId, events }: WebhookRow) {
  const types = JSON.parse(events) as VitaeEvent['type'][]
  return { types, limit: 1, ...(environmentId === null ? { project } : { environmentId }) }
}

export const deliveryOperations = {
  takeWebhookWork: long(takeWebhookWork),
  nextWebhookDelivery: long(nextWebhookDelivery),
  // If a power cut loses it, the event is sent again.
  noteDelivery: shared('with the next', noteDelivery),
}
