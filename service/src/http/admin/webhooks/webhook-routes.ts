import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { EventType } from '@vitae/contract'
import { rolesThatMay } from '@vitae/contract/admin'
import { retryAll } from '../../../events/webhooks/asked-deliveries.ts'
import { newWebhookSecret, sealSecret } from '../../../events/webhooks/secrets.ts'
import type { WebhookView } from '../../../events/webhooks/delivery/webhook.ts'
import { Failure, invalidParameter } from '../../../foundation/failure.ts'
import { parseDuration } from '../../../foundation/rate.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import type { Admin } from '../../../operators/deps.ts'
import { nextCursor } from '../route/pagination.ts'
import { given } from '../../../foundation/schema/given.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** Webhooks. Many receivers treat their URL as a secret, so only operators see all of it. */
export const webhookHandlers = {
  async listWebhooks({ admin, query }, { store }) {
    const { limit = 100, cursor } = query
    const project = admin.project ?? query.project ?? null
    // A search by parts of the URL would reveal it.
    const wanted = given({ text: query.text, searched: seesUrls(admin) ? ('both' as const) : ('id' as const) })
    const webhooks = await store.webhooks.listWebhooks({ project, limit, after: cursor ?? null, ...wanted })
    return {
      webhooks: webhooks.map((webhook) => seenBy(admin, webhook)),
      next_cursor: nextCursor(webhooks, limit, ({ id }) => id),
    }
  },

  async createWebhook({ admin, body }, { store, clock, webhooks }) {
    const id = `wh_${randomBytes(12).toString('hex')}`
    const secret = newWebhookSecret()
    const view = await store.webhooks.createWebhook({
      id,
      project: body.project,
      environment: body.environment ?? null,
      url: checkedUrl(webhooks, body.url),
      events: allowedEvents(admin, body.events),
      format: body.format ?? 'json',
      secret: sealSecret(webhooks.secret, id, secret),
      actor: admin.actor,
      at: clock.now(),
      atMost: webhooks.atMost,
    })
    return { ...view, secret }
  },

  showWebhook: {
    find: findWebhook,
    handle: async ({ admin }, _deps, webhook: WebhookView) => seenBy(admin, webhook),
  },

  updateWebhook: {
    find: findWebhook,
    async handle({ admin, params, body }, deps, webhook: WebhookView) {
      const { events, format, state } = body
      const url = body.url === undefined ? undefined : checkedUrl(deps.webhooks, body.url)
      const change = given({ url, events: events && allowedEvents(admin, events, webhook.events), format, state })
      await deps.store.webhooks.updateWebhook({ id: params.id, change, actor: admin.actor, at: deps.clock.now() })
      if (url !== undefined || state === 'active')
        await retryAll(deps.webhooks, { webhookId: params.id, which: 'waiting' })
      return deps.store.webhooks.showWebhook({ id: params.id })
    },
  },

  deleteWebhook: {
    find: findWebhook,
    handle: ({ admin, params }, deps) =>
      deps.store.webhooks.deleteWebhook({ id: params.id, actor: admin.actor, at: deps.clock.now() }),
  },

  rotateWebhook: {
    find: findWebhook,
    async handle({ admin, params: { id }, body }, deps) {
      const overlapMs = parseDuration(body.overlap ?? '24h')
      if (overlapMs === null) throw invalidParameter('overlap', 'must be a duration such as 24h, 30m or 0s')
      const secret = newWebhookSecret()
      const sealed = sealSecret(deps.webhooks.secret, id, secret)
      const view = await deps.store.webhooks.rotateWebhook({
        id,
        secret: sealed,
        overlapMs,
        actor: admin.actor,
        at: deps.clock.now(),
      })
      return { ...view, secret }
    },
  },
} satisfies Partial<AdminHandlers>

function seesUrls({ role }: Admin): boolean {
  return rolesThatMay.operator.includes(role)
}

/** The webhook, with only the origin of its URL for roles that may not change it. */
function seenBy(admin: Admin, webhook: WebhookView): WebhookView {
  return seesUrls(admin) ? webhook : { ...webhook, url: `${new URL(webhook.url).origin}/…` }
}

/** Events about the whole service reveal how it is run, so only an owner may add them. A webhook keeps those it has. */
function allowedEvents({ role }: Admin, events: readonly EventType[], kept: readonly string[] = []): EventType[] {
  const wide = events.find((type) => /^(provider|backup)\./.test(type) && !kept.includes(type))
  if (wide !== undefined && role !== 'owner')
    throw new Failure('admin_role_too_low', {
      detail: `${wide} is an event of the whole service. Only an owner can add it to a webhook; your role is ${role}.`,
    })
  return [...new Set(events)]
}

/** The webhook that a request names. Operators of its project may manage it. */
export function findWebhook({ params }: { params: { id: string } }, { store }: AppDeps): Promise<WebhookView> {
  return store.webhooks.showWebhook({ id: params.id })
}

/** Checks the URL without a DNS lookup; each delivery checks the address. */
function checkedUrl({ target }: AppDeps['webhooks'], text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidParameter('url', 'must be an https: URL')
  if (url.username !== '' || url.password !== '') throw invalidParameter('url', 'must not contain a user or password')
  const host = url.hostname.replace(/^\[(.+)\]$/, '$1')
  if (isIP(host) !== 0 && !target.rules.allows(host, url.protocol))
    throw invalidParameter('url', `points to ${host} over ${url.protocol}, which VITAE_WEBHOOK_NETWORKS does not allow`)
  return url.href
}
