import { long, read, write } from '../../../database/engine/operation.ts'
import type { EventType } from '@vitae/contract'
import { sql } from 'kysely'
import { appendAudit } from '../../../audit/audit.ts'
import type { Connection, Database, Dialect, Tx } from '../../../database/engine/dialect.ts'
import type { WebhookRow } from '../../../database/tables/events.ts'
import { Failure } from '../../../foundation/failure.ts'
import { publishEvents } from '../../outbox/publish-events.ts'
import { webhookView, type WebhookFormat, type WebhookView } from '../delivery/webhook.ts'
import { containing } from '../../../database/sql/expressions.ts'

interface Author {
  actor: string
  at: number
}

interface NewWebhook extends Author {
  id: string
  project: string
  environment: string | null
  url: string
  events: readonly EventType[]
  format: WebhookFormat
  /** Encrypted. */
  secret: string
  /** The maximum number per environment; endpoints of a whole project are counted separately. */
  atMost: number
}

/** Creates an endpoint, which is notified of events after its creation. */
async function createWebhook(database: Database, args: NewWebhook): Promise<WebhookView> {
  await publishEvents(database, { now: args.at })
  return database.write(async ({ db: tx, dialect }) => {
    const environmentId = await findEnvironment(tx, args.project, args.environment)
    await checkRoom(tx, dialect, args, environmentId)
    const newest = await tx
      .selectFrom('events')
      .select((eb) => eb.fn.max('position').as('position'))
      .executeTakeFirst()
    const row = {
      id: args.id,
      project: args.project,
      environment_id: environmentId,
      url: args.url,
      events: JSON.stringify(args.events),
      format: args.format,
      secret: args.secret,
      state: 'active',
      ordered: 0,
      position: Number(newest?.position ?? 0),
      previous_secret: null,
      previous_until: null,
      attempts: 0,
      failing_since: null,
      next_attempt_at: 0,
      problem: null,
      created_at: args.at,
    } as const
    await tx.insertInto('webhooks').values(row).execute()
    const made = await showIn(tx, args.id)
    await audit({ tx, dialect }, args, 'webhook.create', made.id, { after: audited(made) })
    return made
  })
}

async function checkRoom(
  tx: Tx,
  dialect: Dialect,
  { project, atMost }: NewWebhook,
  environmentId: number | null,
): Promise<void> {
  // Concurrent creations run one after another, so that each is counted.
  await dialect.lockRows(tx.selectFrom('projects').select('name').where('name', '=', project))
  const { count } = await tx
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project', '=', project)
    .where('environment_id', environmentId === null ? 'is' : '=', environmentId)
    .executeTakeFirstOrThrow()
  if (Number(count) < atMost) return
  const where = environmentId === null ? 'The project' : 'The environment'
  throw new Failure('conflict', {
    detail: `${where} has ${count} webhooks, the maximum. Delete one first, or let one webhook receive more event types.`,
  })
}

async function findEnvironment(tx: Tx, project: string, environment: string | null): Promise<number | null> {
  const known = await tx.selectFrom('projects').select('name').where('name', '=', project).executeTakeFirst()
  if (!known) throw missing(`There is no project ${project}.`, '"vitae projects list" shows all projects.')
  if (environment === null) return null
  const row = await tx
    .selectFrom('environments')
    .select('id')
    .where('project', '=', project)
    .where('name', '=', environment)
    .executeTakeFirst()
  if (!row) throw missing(`There is no environment ${environment} in project ${project}.`)
  return row.id
}

const searchedColumns = { id: ['webhooks.id'], url: ['webhooks.url'], both: ['webhooks.url', 'webhooks.id'] } as const

async function listWebhooks(
  { db }: Connection,
  args: {
    project: string | null
    text?: string
    /** The searched columns; both by default. */
    searched?: 'id' | 'url' | 'both'
    troubled?: boolean
    limit: number
    after: string | null
  },
): Promise<WebhookView[]> {
  const rows = await select(db)
    .$if(args.project !== null, (query) => query.where('webhooks.project', '=', args.project ?? ''))
    .$if(args.text !== undefined, (query) =>
      query.where(containing(searchedColumns[args.searched ?? 'both'], args.text ?? '')),
    )
    .$if(args.troubled === true, (query) =>
      query.where((eb) =>
        eb.or([
          eb('webhooks.state', '=', 'paused'),
          eb('webhooks.problem', 'is not', null),
          eb(retriesOf(true), '>', 0),
        ]),
      ),
    )
    .$if(args.after !== null, (query) => query.where('webhooks.id', '>', args.after ?? ''))
    .orderBy('webhooks.id')
    .limit(args.limit)
    .execute()
  return rows.map(webhookView)
}

async function showWebhook({ db }: Connection, { id }: { id: string }): Promise<WebhookView> {
  return showIn(db, id)
}

/** The settings that can be changed. A new URL, or setting it `active`, restarts the attempts. */
interface WebhookChange {
  url?: string
  events?: readonly EventType[]
  format?: WebhookFormat
  state?: 'active' | 'paused'
}

async function updateWebhook(
  { db: tx, dialect }: Connection,
  args: Author & { id: string; change: WebhookChange },
): Promise<WebhookView> {
  const { url, events, format, state } = args.change
  const before = await showIn(tx, args.id)
  const again = url !== undefined || state === 'active'
  const set: Partial<WebhookRow> = {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events: JSON.stringify(events) }),
    ...(format === undefined ? {} : { format }),
    ...(state === undefined ? {} : { state }),
    ...(again ? { attempts: 0, failing_since: null, next_attempt_at: 0, problem: null } : {}),
    ...(state === 'paused' ? { problem: 'paused by an operator' } : {}),
  }
  if (Object.keys(set).length > 0) await tx.updateTable('webhooks').set(set).where('id', '=', args.id).execute()
  if (again) tx.wakesSender = true
  const after = await showIn(tx, args.id)
  await audit({ tx, dialect }, args, 'webhook.update', args.id, { before: audited(before), after: audited(after) })
  return after
}

async function deleteWebhook({ db: tx, dialect }: Connection, args: Author & { id: string }): Promise<WebhookView> {
  const before = await showIn(tx, args.id)
  await tx.deleteFrom('webhook_deliveries').where('webhook_id', '=', args.id).execute()
  await tx.deleteFrom('webhook_retries').where('webhook_id', '=', args.id).execute()
  await tx.deleteFrom('webhooks').where('id', '=', args.id).execute()
  await audit({ tx, dialect }, args, 'webhook.delete', args.id, { before: audited(before) })
  return before
}

/** Sets a new secret; the old one also signs during the overlap. */
async function rotateWebhook(
  { db: tx, dialect }: Connection,
  args: Author & { id: string; secret: string; overlapMs: number },
): Promise<WebhookView> {
  const { id, secret, overlapMs, at } = args
  await showIn(tx, id)
  await tx
    .updateTable('webhooks')
    .set((eb) => ({
      previous_secret: overlapMs > 0 ? eb.ref('secret') : null,
      previous_until: overlapMs > 0 ? at + overlapMs : null,
      secret,
    }))
    .where('id', '=', id)
    .execute()
  await audit({ tx, dialect }, args, 'webhook.rotate', id, { after: { overlap_ms: overlapMs } })
  return showIn(tx, id)
}

function select(db: Tx) {
  return db
    .selectFrom('webhooks')
    .leftJoin('environments', 'environments.id', 'webhooks.environment_id')
    .selectAll('webhooks')
    .select('environments.name as environment')
    .select([retriesOf(false).as('retrying'), retriesOf(true).as('parked')])
}

const countedAtMost = 1_000

/** The number of waiting or parked events of an endpoint, up to a limit. */
function retriesOf(parked: boolean) {
  const given = sql.raw(parked ? 'is not null' : 'is null')
  return sql<number>`(select count(*) from (select 1 from webhook_retries
    where webhook_id = webhooks.id and parked_at ${given} limit ${sql.lit(countedAtMost)}) counted)`
}

async function showIn(db: Tx, id: string): Promise<WebhookView> {
  const row = await select(db).where('webhooks.id', '=', id).executeTakeFirst()
  if (!row) throw missing(`There is no webhook ${id}.`, '"vitae webhooks list" shows all webhooks.')
  return webhookView(row)
}

function missing(detail: string, hint?: string): Failure {
  return new Failure('not_found', { detail, ...(hint ? { hint } : {}) })
}

/** The audited fields: only the origin of the URL, because for many receivers its path is a secret. */
function audited({ project, environment, url, events, format, state }: WebhookView) {
  return { project, environment, origin: new URL(url).origin, events, format, state }
}

async function audit(
  { tx, dialect }: { tx: Tx; dialect: Dialect },
  { actor, at }: Author,
  action: string,
  subject: string,
  change: { before?: unknown; after?: unknown },
): Promise<void> {
  await appendAudit(tx, dialect, { at, actor, action, subject, ...change })
}

export const endpointOperations = {
  createWebhook: long(createWebhook),
  listWebhooks: read(listWebhooks),
  showWebhook: read(showWebhook),
  updateWebhook: write(updateWebhook),
  deleteWebhook: write(deleteWebhook),
  rotateWebhook: write(rotateWebhook),
}
