import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { eventTypes, type EventType } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { retryAll } from '../../../events/webhooks/endpoints/asked-deliveries.ts'
import { newWebhookSecret, sealSecret } from '../../../events/webhooks/secrets.ts'
import { webhookFormats } from '../../../events/webhooks/webhook.ts'
import { Failure } from '../../../foundation/failure.ts'
import { parseDuration } from '../../../foundation/rate.ts'
import type { AppDeps } from '../../deps.ts'
import { invalidParameter } from '../../validate.ts'
import type { Admin } from '../access.ts'
import { adminRoute } from '../admin-route.ts'
import { nextCursor, pageQuery } from '../pagination.ts'
import { Cursor, given, orNull, Time } from '../schemas.ts'

export const WebhookId = Type.Object({ id: Type.String() })
export const tag = 'webhooks'
const Url = Type.String({
  maxLength: 2_000,
  description: 'https:, or http: into a network of VITAE_WEBHOOK_NETWORKS.',
})
// Not `uniqueItems`: to find out which are not unique costs the square of their number.
const Events = Type.Array(Type.Enum([...eventTypes]), { minItems: 1, maxItems: eventTypes.length })
const Format = Type.Enum([...webhookFormats])
const Ordered = Type.Boolean({
  description:
    'True: an event waits until the one before it was accepted. False: one that fails is tried again apart, and the next ones go on.',
})
const State = Type.Enum(['active', 'paused'])

const webhook = {
  id: Type.String(),
  project: Type.String(),
  environment: orNull(Type.String({ description: 'Null: all environments of the project.' })),
  url: Type.String(),
  events: Events,
  format: Format,
  ordered: Ordered,
  state: State,
  problem: orNull(Type.String({ description: 'Why it fails or is paused.' })),
  attempts: Type.Integer({
    minimum: 0,
    description: 'Failures in a row; with `ordered` those of the event that is next.',
  }),
  retrying: Type.Integer({ minimum: 0, description: 'Events that are tried again apart; 1,000 stands for more too.' }),
  parked: Type.Integer({ minimum: 0, description: 'Events that were given up; 1,000 stands for more too.' }),
  failing_since: orNull(Time),
  next_attempt_at: orNull(Time),
  created_at: Time,
}
const Webhook = Type.Object(webhook)
const NewWebhook = Type.Object({ ...webhook, secret: Type.String({ description: 'Shown only here.' }) })

/** Endpoints that are notified of events. For many receivers the URL is a secret, so only operators see it. */
export function webhookRoutes(app: FastifyInstance, deps: AppDeps): void {
  listWebhooksRoute(app, deps)
  createWebhookRoute(app, deps)
  showWebhookRoute(app, deps)
  updateWebhookRoute(app, deps)
  deleteWebhookRoute(app, deps)
  rotateWebhookRoute(app, deps)
}

const listWebhooksRoute = adminRoute(tag, ({ store }: AppDeps) => ({
  route: 'GET /webhooks',
  operationId: 'listWebhooks',
  summary: 'List webhooks',
  role: 'operator',
  filtered: true,
  query: Type.Object({
    project: Type.Optional(Type.String()),
    text: Type.Optional(Type.String({ maxLength: 300, description: 'Part of a URL or an id.' })),
    ...pageQuery,
  }),
  response: Type.Object({ webhooks: Type.Array(Webhook), next_cursor: Cursor }),
  async handle({ admin, query }) {
    const { limit = 100, cursor } = query
    const project = admin.project ?? query.project ?? null
    const wanted = given({ text: query.text })
    const webhooks = await store.listWebhooks({ project, limit, after: cursor ?? null, ...wanted })
    return { webhooks, next_cursor: nextCursor(webhooks, limit, ({ id }) => id) }
  },
}))

const createWebhookRoute = adminRoute(tag, ({ store, clock, webhooks }: AppDeps) => ({
  route: 'POST /webhooks',
  operationId: 'createWebhook',
  summary: 'Make a webhook; the answer is the only place where its secret is ever shown',
  role: 'operator',
  status: 201,
  body: Type.Object({
    project: Type.String(),
    environment: Type.Optional(orNull(Type.String())),
    url: Url,
    events: Events,
    format: Type.Optional(Format),
    ordered: Type.Optional(Ordered),
  }),
  response: NewWebhook,
  project: ({ body }) => body.project,
  async handle({ admin, body }) {
    const id = `wh_${randomBytes(12).toString('hex')}`
    const secret = newWebhookSecret()
    const view = await store.createWebhook({
      id,
      project: body.project,
      environment: body.environment ?? null,
      url: checkedUrl(webhooks, body.url),
      events: allowedEvents(admin, body.events),
      format: body.format ?? 'json',
      ordered: body.ordered ?? false,
      secret: sealSecret(webhooks.secret, id, secret),
      actor: admin.actor,
      at: clock.now(),
      atMost: webhooks.atMost,
    })
    return { ...view, secret }
  },
}))

/** Events of the whole service tell how it is run: an owner decides who hears of them. What a webhook has it may keep. */
function allowedEvents({ role }: Admin, events: readonly EventType[], kept: readonly string[] = []): EventType[] {
  const wide = events.find((type) => /^(provider|backup)\./.test(type) && !kept.includes(type))
  if (wide !== undefined && role !== 'owner')
    throw new Failure('admin_role_too_low', {
      detail: `${wide} is about the whole service: an owner adds it to a webhook, and your role is ${role}.`,
    })
  return [...new Set(events)]
}

const showWebhookRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /webhooks/:id',
  operationId: 'showWebhook',
  summary: 'Show a webhook',
  role: 'operator',
  params: WebhookId,
  response: Webhook,
  project: projectOfWebhook(deps),
  handle: ({ params }) => deps.store.showWebhook({ id: params.id }),
}))

const updateWebhookRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'PATCH /webhooks/:id',
  operationId: 'updateWebhook',
  summary: 'Change a webhook, pause it, or go on after a pause',
  description: 'A new URL, and the state `active`, begin with what waits at once.',
  role: 'operator',
  params: WebhookId,
  body: Type.Object({
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    format: Type.Optional(Format),
    ordered: Type.Optional(Ordered),
    state: Type.Optional(State),
  }),
  response: Webhook,
  project: projectOfWebhook(deps),
  async handle({ admin, params, body }) {
    const { events, format, ordered, state } = body
    const url = body.url === undefined ? undefined : checkedUrl(deps.webhooks, body.url)
    const kept = events && (await deps.store.showWebhook({ id: params.id })).events
    const change = given({ url, events: events && allowedEvents(admin, events, kept), format, ordered, state })
    await deps.store.updateWebhook({ id: params.id, change, actor: admin.actor, at: deps.clock.now() })
    if (url !== undefined || state === 'active')
      await retryAll(deps.webhooks, { webhookId: params.id, which: 'waiting' })
    return deps.store.showWebhook({ id: params.id })
  },
}))

const deleteWebhookRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'DELETE /webhooks/:id',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook and the log of its deliveries',
  role: 'operator',
  params: WebhookId,
  response: Webhook,
  project: projectOfWebhook(deps),
  handle: ({ admin, params }) => deps.store.deleteWebhook({ id: params.id, actor: admin.actor, at: deps.clock.now() }),
}))

const rotateWebhookRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /webhooks/:id/rotate',
  operationId: 'rotateWebhook',
  summary: 'Set a new secret; the old one signs too for an overlap',
  role: 'operator',
  params: WebhookId,
  body: Type.Object({
    overlap: Type.Optional(Type.String({ description: 'Such as 24h, the default; 0s ends the old secret now.' })),
  }),
  response: NewWebhook,
  project: projectOfWebhook(deps),
  async handle({ admin, params: { id }, body }) {
    const overlapMs = parseDuration(body.overlap ?? '24h')
    if (overlapMs === null) throw invalidParameter('overlap', 'must be a duration such as 24h, 30m or 0s')
    const secret = newWebhookSecret()
    const sealed = sealSecret(deps.webhooks.secret, id, secret)
    const view = await deps.store.rotateWebhook({
      id,
      secret: sealed,
      overlapMs,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    return { ...view, secret }
  },
}))

/** The project whose operators may deal with a webhook. */
export function projectOfWebhook({ store }: AppDeps) {
  return async ({ params }: { params: { id: string } }) => (await store.showWebhook({ id: params.id })).project
}

/** What can be said without asking for the host's address; that is checked at each delivery. */
function checkedUrl({ target }: AppDeps['webhooks'], text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidParameter('url', 'must be an https: URL')
  if (url.username !== '' || url.password !== '') throw invalidParameter('url', 'must not contain a user or password')
  const host = url.hostname.replace(/^\[(.+)\]$/, '$1')
  if (isIP(host) !== 0 && !target.rules.allows(host, url.protocol))
    throw invalidParameter('url', `leads to ${host} by ${url.protocol}, which VITAE_WEBHOOK_NETWORKS does not allow`)
  return url.href
}
