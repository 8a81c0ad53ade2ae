import { long, single, write } from '../../database/operation.ts'
import { sql } from 'kysely'
import type { VitaeEvent } from '@vitae/contract'
import { databaseTime } from '../../database/sql/database-time.ts'
import { isWorkStopped } from '../../database/sql/stopped-work.ts'
import type { Connection, Database, Dialect, Tx } from '../../database/dialect.ts'
import type { WebhookRow } from '../../database/tables/events.ts'
import { publishEvents } from '../publish-events.ts'
import { readEvents } from '../read-events.ts'
import type { PostResult } from './post.ts'
import { isDue, retryTime } from './retry-time.ts'

const leaseName = 'webhooks'
const positionSetting = 'events.position'

/** The right to send, which one process has at a time: whoever takes it over gets a higher number. */
export interface SenderLease {
  holder: string
  number: number
}

/** What there may be to do: endpoints that could be notified of something, and the position of the newest event. */
export interface WebhookWork {
  lease: SenderLease
  endpoints: { id: string; position: number }[]
  newest: number
}

/**
 * Makes this process the one that sends, or keeps it so, and gives what may be due; null where another process sends.
 * Its lease ends by the database's clock, so that the work of a dead process goes on elsewhere.
 */
async function takeWebhookWork(
  database: Database,
  args: { holder: string; leaseMs: number; now: number },
): Promise<WebhookWork | null> {
  if (await database.read(({ db }) => isWorkStopped(db))) return null
  const { endpoints, number } = await database.single(async (connection) => {
    const active = await connection.db
      .selectFrom('webhooks')
      .select(['id', 'position', 'attempts', 'next_attempt_at'])
      .where('state', '=', 'active')
      .execute()
    const due = active.filter((row) => isDue(row, args.now))
    return { endpoints: due, number: await takeLease(connection, args, due.length > 0) }
  })
  if (number === null) return null
  const lease = { holder: args.holder, number }
  if (endpoints.length === 0) return { lease, endpoints: [], newest: 0 }
  await publishEvents(database, args)
  return { lease, endpoints, newest: await database.read(newestPosition) }
}

/** The number of the lease; null where another process has it. Where it is not wanted and nobody has it, it stays free. */
async function takeLease(
  { db, dialect }: Connection,
  { holder, leaseMs }: { holder: string; leaseMs: number },
  wanted: boolean,
): Promise<number | null> {
  const now = databaseTime(dialect)
  const lease = await db
    .selectFrom('leases')
    .select(['holder', 'number', sql<number>`expires_at - ${now}`.as('left_ms')])
    .where('name', '=', leaseName)
    .executeTakeFirst()
  // What was written before the database's clock was set back counts for as long as a lease lasts, and no longer.
  const leftMs = Number(lease?.left_ms ?? 0) > 2 * leaseMs ? 0 : Number(lease?.left_ms ?? 0)
  if (lease && lease.holder !== holder && leftMs > 0) return null
  if (lease?.holder === holder && leftMs > leaseMs / 2) return lease.number
  if (!wanted) return 0
  const until = sql<number>`${now} + ${sql.lit(leaseMs)}`
  const tooFar = sql<number>`${now} + ${sql.lit(2 * leaseMs)}`
  const taken = await db
    .insertInto('leases')
    .values({ name: leaseName, holder, expires_at: until, number: 1 })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({
          holder,
          expires_at: until,
          number: sql<number>`leases.number + case when leases.holder = excluded.holder then 0 else 1 end`,
        })
        .where((eb) =>
          eb.or([
            eb('leases.holder', '=', holder),
            eb('leases.expires_at', '<=', now),
            eb('leases.expires_at', '>', tooFar),
          ]),
        ),
    )
    .returning('number')
    .executeTakeFirst()
  return taken?.number ?? null
}

/** Gives the lease back, so that another process need not wait for its end. Its row stays: numbers go on. */
async function endWebhookLease({ db }: Connection, { holder }: { holder: string }): Promise<void> {
  const own = db.updateTable('leases').where('name', '=', leaseName).where('holder', '=', holder)
  await own.set({ expires_at: 0 }).execute()
}

/** Whether a lease is still the newest. It stays so until a transaction that asks ends. */
async function isNewest(tx: Tx, dialect: Dialect, { holder, number }: SenderLease): Promise<boolean> {
  const row = await tx
    .selectFrom('leases')
    .select('name')
    .where('name', '=', leaseName)
    .where('holder', '=', holder)
    .where('number', '=', number)
    .$if(dialect === 'postgres', (query) => query.forShare())
    .executeTakeFirst()
  return row !== undefined
}

async function newestPosition({ db }: Connection): Promise<number> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', positionSetting).executeTakeFirst()
  return Number(row?.value ?? 0)
}

/** The next event for an endpoint, and the endpoint as it is now. */
export interface NextDelivery {
  webhook: WebhookRow
  /** Null where there is none up to `newest`. */
  next: { position: number; entityId: number | null; event: VitaeEvent } | null
  newest: number
}

/** What an endpoint is to be notified of next; null where it is paused, not due, or gone, or another process sends by now. */
async function nextWebhookDelivery(
  database: Database,
  { id, lease, after, now }: { id: string; lease: SenderLease; after: number; now: number },
): Promise<NextDelivery | null> {
  const webhook = await database.read(async ({ db, dialect }) => {
    if (!(await isNewest(db, dialect, lease))) return null
    return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
  })
  if (!webhook || webhook.state !== 'active' || !isDue(webhook, now)) return null
  await publishEvents(database, { now })
  const newest = await database.read(newestPosition)
  const [next = null] = await readEvents(database, {
    after: Math.max(after, webhook.position),
    ...nextOf(webhook),
    now,
  })
  if (next === null) await database.single(({ db }) => passOver(db, webhook, newest))
  return { webhook, next, newest }
}

/** Positions are microseconds: an endpoint without events of its own is written once a minute at most. */
const passOverStep = 60_000_000

/** Remembers that there was nothing for an endpoint, so that nobody reads all this again. */
async function passOver(db: Connection['db'], { id, position }: WebhookRow, newest: number): Promise<void> {
  if (newest - position < passOverStep) return
  await db
    .updateTable('webhooks')
    .set({ position: newest })
    .where('id', '=', id)
    .where('position', '<', newest)
    .execute()
}

/** The next event of those that an endpoint is told of. */
export function nextOf({ project, environment_id: accountId, events }: WebhookRow) {
  const types = JSON.parse(events) as VitaeEvent['type'][]
  return { types, limit: 1, ...(accountId === null ? { project } : { accountId }) }
}

/** An attempt as it is noted. */
export interface Attempted {
  webhookId: string
  kind: 'event' | 'redelivery' | 'test'
  event: { id: string; type: string; position: number | null; entityId: number | null }
  result: PostResult
  at: number
  durationMs: number
  /** Of the sender; null where an operator asked for the attempt. */
  lease: SenderLease | null
}

/**
 * Notes how an attempt ended and what comes next: the following event, another attempt, or a pause. The attempt of a process
 * that lost its lease meanwhile is in the log and changes nothing. Nothing is noted about an event that was erased.
 */
async function noteDelivery({ db: tx, dialect }: Connection, args: Attempted): Promise<{ deliveryId: number | null }> {
  const row = await tx.selectFrom('webhooks').selectAll().where('id', '=', args.webhookId).executeTakeFirst()
  if (!row) return { deliveryId: null }
  const isOurs = args.lease === null || (await isNewest(tx, dialect, args.lease))
  const isNext = isOurs && args.kind === 'event' && (args.event.position ?? 0) > row.position
  if (isNext) await moveOn(tx, row, args)
  else if (isOurs && args.result.outcome === 'delivered') await tryAgainNow(tx, row, args.at)
  if (args.kind !== 'test' && !(await isKept(tx, dialect, args.event.id))) return { deliveryId: null }
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
      attempt: isNext ? row.attempts + 1 : 1,
      outcome: result.outcome,
      status: result.status,
      answer: result.answer,
      duration_ms,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { deliveryId: id }
}

async function moveOn(tx: Tx, row: WebhookRow, { event, result, at }: Attempted): Promise<void> {
  const update = tx.updateTable('webhooks').where('id', '=', row.id)
  if (result.outcome === 'delivered') {
    const done = { position: event.position ?? row.position, attempts: 0, failing_since: null, next_attempt_at: 0 }
    await update.set({ ...done, problem: null }).execute()
    return
  }
  const attempts = row.attempts + 1
  const failing_since = Math.min(row.failing_since ?? at, at)
  const retryAt = result.status === 410 ? null : retryTime(attempts, failing_since, at)
  const answer = result.status === null ? result.answer : `the receiver answered ${result.status}`
  const problem =
    retryAt === null ? `paused, ${result.status === 410 ? '' : 'three days of failures: '}${answer}` : answer
  const paused = retryAt === null ? { state: 'paused' as const } : {}
  await update.set({ attempts, failing_since, next_attempt_at: retryAt ?? 0, problem, ...paused }).execute()
}

/** The receiver answers again: what waits for it need not wait longer. */
async function tryAgainNow(tx: Tx, { id, state, failing_since: failing }: WebhookRow, at: number): Promise<void> {
  if (state !== 'active' || failing === null) return
  await tx.updateTable('webhooks').set({ next_attempt_at: at }).where('id', '=', id).execute()
}

/** Whether the event is still there; it stays until this transaction ends, so that an erasure finds the note. */
async function isKept(tx: Tx, dialect: Dialect, eventId: string): Promise<boolean> {
  const query = tx.selectFrom('events').select('id').where('public_id', '=', eventId)
  const row = await (dialect === 'postgres' ? query.forKeyShare() : query).executeTakeFirst()
  return row !== undefined
}

export const deliveryOperations = {
  takeWebhookWork: long(takeWebhookWork),
  endWebhookLease: single(endWebhookLease),
  nextWebhookDelivery: long(nextWebhookDelivery),
  noteDelivery: write(noteDelivery),
}
