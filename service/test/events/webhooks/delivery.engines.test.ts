import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newWebhookSecret, sealSecret } from '../../../src/events/webhooks/secrets.ts'
import { WebhookSender } from '../../../src/events/webhooks/sender.ts'
import type { Lane } from '../../../src/foundation/pacing/scheduler.ts'
import { engines } from '../../harness/engines.ts'
import { openWebhooks, serviceSecret, type Received } from './webhook-fixture.ts'

describe.each(engines)('webhooks on $name', (engine) => {
  let service: Awaited<ReturnType<typeof openWebhooks>>
  beforeAll(async () => {
    service = await openWebhooks(engine)
  })
  afterAll(() => service.close())

  test('events arrive in order, signed so that the Standard Webhooks library accepts them', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    await service.write(environment.id, 1, 2, 3)

    await sender.once()

    expect(receiver.numbers).toEqual([1, 2, 3])
    const [first] = receiver.requests
    const event = verified(webhook.secret, first)
    expect(event).toMatchObject({ type: 'credits.low', project: environment.project, environment: 'production' })
    const { at, timestamp } = event as { at: string; timestamp: string }
    expect(timestamp).toBe(at)
    expect(first?.headers['webhook-id']).toBe((event as { id: string }).id)
    const [newest] = await service.store.webhooks.listDeliveries({ webhookId: webhook.id, limit: 10, before: null })
    expect(newest).toMatchObject({ kind: 'event', outcome: 'delivered', status: 200, answer: 'thanks', attempt: 1 })
  })

  test('all endpoints of a project share one pace: after each event the next one waits for its turn', async () => {
    const environment = await service.newEnvironment()
    const [first, second] = [await service.newReceiver(), await service.newReceiver()]
    for (const { url } of [first, second]) await service.newWebhook(environment, url)
    await service.write(environment.id, 1, 2)
    const turn = Promise.withResolvers<void>()
    let asked = 0
    const scheduler = {
      turn(lane: Lane) {
        if (lane === `webhooks of ${environment.project}`) asked++
        return turn.promise
      },
    }
    const sent = new WebhookSender({ ...service.deps(), scheduler }).once()
    await expect.poll(() => asked).toBe(2)

    expect([first.receiver.numbers, second.receiver.numbers]).toEqual([[1], [1]])
    turn.resolve()
    await sent
    expect([first.receiver.numbers, second.receiver.numbers]).toEqual([
      [1, 2],
      [1, 2],
    ])
    expect(asked).toBe(4)
  })

  test('an endpoint of an environment gets only its events, one of a project those of all its environments, both get service events', async () => {
    const production = await service.newEnvironment('production')
    const staging = await service.newEnvironment('staging', production.project)
    const foreign = await service.newEnvironment()
    const [narrow, wide] = [await service.newReceiver(), await service.newReceiver()]
    await service.newWebhook(production, narrow.url)
    await service.newWebhook({ ...production, environment: null }, wide.url)
    await service.write(production.id, 1)
    await service.write(staging.id, 2)
    await service.write(foreign.id, 3)
    await service.write(null, 4)

    await service.newSender().once()

    expect(narrow.receiver.numbers).toEqual([1, 4])
    expect(wide.receiver.numbers).toEqual([1, 2, 4])
  })

  test('a receiver that fails is tried again after 5 seconds: with the next event first, then with the failed one', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    receiver.respond = (response) => response.writeHead(500).end('not today')
    await service.write(environment.id, 1, 2)

    await sender.once()
    service.clock.advance({ seconds: 4 })
    await sender.once()
    expect(receiver.numbers).toEqual([1])
    const failing = await service.store.webhooks.showWebhook({ id: webhook.id })
    expect(failing).toMatchObject({ state: 'active', attempts: 1, problem: 'the receiver answered 500' })
    receiver.respond = (response) => response.writeHead(204).end()
    service.clock.advance({ seconds: 1 })
    await sender.once()

    expect(receiver.numbers).toEqual([1, 2, 1])
    const log = await service.store.webhooks.listDeliveries({ webhookId: webhook.id, limit: 10, before: null })
    expect(log.map(({ status, attempt }) => [status, attempt])).toEqual([
      [204, 2],
      [204, 1],
      [500, 1],
    ])
    expect(await service.store.webhooks.showWebhook({ id: webhook.id })).toMatchObject({ attempts: 0, problem: null })
  })

  test('a delivery that failed while the clock was ahead is retried at once when the clock is right', async () => {
    const { environment, receiver, sender } = await service.connected()
    receiver.respond = (response) => response.writeHead(500).end()
    await service.write(environment.id, 1)
    const now = new Date(service.clock.now()).toISOString()
    service.clock.advance({ hours: 9 })
    await sender.once()

    service.clock.set(now)
    receiver.respond = (response) => response.end()
    await sender.once()

    expect(receiver.numbers).toEqual([1, 1])
  })

  test('a receiver that never answers delays no other', async () => {
    const dead = await service.connected()
    dead.receiver.respond = () => undefined
    const { environment, receiver, sender } = await service.connected()
    await service.write(dead.environment.id, 1)
    await service.write(environment.id, 2, 3)

    const round = sender.once()
    await dead.receiver.arrived(1)
    await receiver.arrived(2)

    expect(receiver.numbers).toEqual([2, 3])
    await sender.close()
    await round
    // The end of its process cut it off, so the attempt does not count against the receiver.
    expect(await service.store.webhooks.showWebhook({ id: dead.webhook.id })).toMatchObject({
      attempts: 0,
      problem: null,
    })
    await service.store.webhooks.deleteWebhook({ id: dead.webhook.id, actor: 'test', at: service.clock.now() })
  })

  test('one process sends at a time, and another takes over when it is gone', async () => {
    const { environment, receiver, sender } = await service.connected()
    const other = service.newSender()
    await service.write(environment.id, 1)
    await sender.once()

    await service.write(environment.id, 2)
    await other.once()
    expect(receiver.numbers).toEqual([1])
    await service.database.db.updateTable('leases').set({ expires_at: 0 }).execute()
    await other.once()
    await service.write(environment.id, 3)
    await sender.once()

    expect(receiver.numbers).toEqual([1, 2])
    await other.close()
    await sender.once()
    expect(receiver.numbers).toEqual([1, 2, 3])
  })

  test('an attempt that ends after another process has taken over is logged, and changes nothing', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    const other = service.newSender()
    onTestFinished(() => other.close())
    const first = Promise.withResolvers<void>()
    receiver.respond = (response) => void first.promise.then(() => response.writeHead(410).end())
    await service.write(environment.id, 1)
    const frozen = sender.once()
    await receiver.arrived(1)

    await service.database.db.updateTable('leases').set({ expires_at: 0 }).execute()
    receiver.respond = (response) => response.writeHead(500).end()
    await other.once()
    first.resolve()
    await frozen

    expect(await service.store.webhooks.showWebhook({ id: webhook.id })).toMatchObject({ state: 'active', attempts: 1 })
    const log = await service.store.webhooks.listDeliveries({ webhookId: webhook.id, limit: 9, before: null })
    expect(log.map(({ status }) => status)).toEqual([410, 500])
  })

  test('a process that is no longer the sender sends nothing more', async () => {
    const { environment, receiver, sender } = await service.connected()
    const other = service.newSender()
    onTestFinished(() => other.close())
    const first = Promise.withResolvers<void>()
    receiver.respond = (response) => void first.promise.then(() => response.end())
    await service.write(environment.id, 1)
    const frozen = sender.once()
    await receiver.arrived(1)

    await service.database.db.updateTable('leases').set({ expires_at: 0 }).execute()
    receiver.respond = (response) => response.end()
    await other.once()
    await service.write(environment.id, 2)
    first.resolve()
    await frozen

    expect(receiver.numbers).toEqual([1, 1])
    await other.once()
    expect(receiver.numbers).toEqual([1, 1, 2])
  })

  test('events that are skipped while one of them is being sent stay skipped', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    await service.write(environment.id, 1, 2)
    const { webhooks } = service.store
    const [webhookId, at] = [webhook.id, service.clock.now()]
    const skipAll = async () => {
      const queue = await webhooks.webhookQueue({ webhookId, limit: 9, now: at })
      for (const { event: eventId } of queue) await webhooks.skipWebhookEvent({ webhookId, eventId, actor: 'test', at })
    }
    receiver.respond = (response) => void skipAll().then(() => response.end())

    await sender.once()

    expect(receiver.numbers).toEqual([1])
    expect(await webhooks.webhookQueue({ webhookId, limit: 9, now: at })).toEqual([])
  })

  test('an endpoint that answers 410 is paused at once', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    receiver.respond = (response) => response.writeHead(410).end()
    await service.write(environment.id, 1, 2)

    await sender.once()

    expect(receiver.numbers).toEqual([1])
    const problem = 'paused, the receiver answered 410'
    expect(await service.store.webhooks.showWebhook({ id: webhook.id })).toMatchObject({ state: 'paused', problem })
  })

  test('during a rotation both secrets sign, and after the overlap only the new one', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    const fresh = newWebhookSecret()
    const secret = sealSecret(serviceSecret, webhook.id, fresh)
    const rotation = { id: webhook.id, secret, overlapMs: 3_600_000, actor: 'test', at: service.clock.now() }
    await service.store.webhooks.rotateWebhook(rotation)
    await service.write(environment.id, 1)
    await sender.once()
    service.clock.advance({ hours: 1 })
    await service.write(environment.id, 2)
    await sender.once()

    const [during, after] = receiver.requests
    const accepts = (key: string, request: Received | undefined) => {
      try {
        return Boolean(verified(key, request))
      } catch {
        return false
      }
    }
    expect([accepts(webhook.secret, during), accepts(fresh, during)]).toEqual([true, true])
    expect([accepts(webhook.secret, after), accepts(fresh, after)]).toEqual([false, true])
  })

  test('the database does not hold the secret in clear', async () => {
    const { webhook } = await service.connected()

    const row = await service.database.db
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', webhook.id)
      .executeTakeFirst()

    expect(JSON.stringify(row)).not.toContain(webhook.secret.slice('whsec_'.length))
  })

  test.each([200, 422])('a removed event is neither sent nor recorded, if the receiver answers %i', async (status) => {
    const { environment, receiver, webhook, sender } = await service.connected()
    await service.write(environment.id, 1, 2)
    receiver.respond = (response) => {
      const gone = service.database.db.deleteFrom('events').where('account_id', '=', environment.id).execute()
      void gone.then(() => response.writeHead(status).end())
    }

    await sender.once()

    expect(receiver.numbers).toEqual([1])
    expect(await service.store.webhooks.listDeliveries({ webhookId: webhook.id, limit: 9, before: null })).toEqual([])
    expect(await service.store.webhooks.showWebhook({ id: webhook.id })).toMatchObject({ retrying: 0 })
  })

  test('the delivery log is removed with its events', async () => {
    const { environment, webhook, sender } = await service.connected()
    await service.write(environment.id, 1, 2)
    await sender.once()
    const log = () => service.store.webhooks.listDeliveries({ webhookId: webhook.id, limit: 9, before: null })
    const [newest] = await log()
    await service.database.db
      .deleteFrom('events')
      .where('public_id', '=', newest?.event ?? '')
      .execute()

    await service.store.webhooks.pruneDeliveries({ testsBefore: 0 })

    expect((await log()).length).toBe(1)
    expect((await log())[0]?.event).not.toBe(newest?.event)
  })

  test('a Slack endpoint gets a message in which no part of the event becomes a link or a mention', async () => {
    const environment = await service.newEnvironment('<!channel>')
    const { receiver, url } = await service.newReceiver()
    await service.newWebhook(environment, url, { format: 'slack' })
    await service.write(environment.id, 7)

    await service.newSender().once()

    const { text } = JSON.parse(receiver.requests[0]?.body ?? '{}') as { text: string }
    expect(text).toContain('*credits.low*')
    expect(text).toContain('balance: 7')
    expect(text).not.toContain('<!channel>')
  })
})

/** The event, if the Standard Webhooks library accepts the request at the time of its timestamp; otherwise throws. */
function verified(secret: string, request: Received | undefined): unknown {
  const headers = Object.entries(request?.headers ?? {}).map(([name, value]) => [name, String(value)])
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(Number(request?.headers['webhook-timestamp']) * 1_000)
  return new Webhook(secret).verify(request?.body ?? '', Object.fromEntries(headers) as Record<string, string>)
}
