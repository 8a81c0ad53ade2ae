import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Connection } from '../../../src/database/engine/dialect.ts'
import { retryAll, retryParked } from '../../../src/events/webhooks/asked-deliveries.ts'
import { engines } from '../../harness/engines.ts'
import { openWebhooks, type Receiver } from './webhook-fixture.ts'

const many = process.env['VITAE_TEST_LONG'] ? 1_000_000 : 5_000

/** Events that are no longer stored, so that resending them makes no request. */
async function parkMany(db: Connection['db'], webhookId: string, at: number) {
  const numbers = sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(many)})`
  await sql`insert into webhook_retries
    (webhook_id, event_id, event_type, attempts, failing_since, next_attempt_at, parked_at, problem)
    ${numbers} select ${webhookId}, 'evt_gone_' || n, 'credits.low', 17, ${at}, ${at}, ${at}, 'refused' from numbers`.execute(
    db,
  )
}

describe.each(engines)('retries of webhooks on $name', (engine) => {
  let service: Awaited<ReturnType<typeof openWebhooks>>
  beforeAll(async () => {
    service = await openWebhooks(engine)
  })
  afterAll(() => service.close())

  const show = (id: string) => service.store.webhooks.showWebhook({ id })
  const parkedOf = (webhookId: string) =>
    service.store.webhooks.listParkedEvents({ webhookId, limit: 10, before: null })
  const refuse = (receiver: Receiver, status: number, number: number) => {
    receiver.respond = (response, { body }) =>
      response.writeHead(body.includes(`"balance":${number},`) ? status : 204).end('no, Ada Example')
  }
  /** Advances failing deliveries by three days. */
  async function threeDays(sender: { once(): Promise<void> }) {
    for (let hours = 0; hours <= 72; hours += 8) {
      await sender.once()
      for (const seconds of [5, 30, 120]) {
        service.clock.advance({ seconds })
        await sender.once()
      }
      service.clock.advance({ hours: 8 })
    }
    await sender.once()
  }

  test.each([422, 500])('an event that is answered with %i does not hold back later ones', async (status) => {
    const { environment, receiver, webhook, sender } = await service.connected()
    refuse(receiver, status, 1)
    await service.write(environment.id, 1, 2, 3)

    await sender.once()
    service.clock.advance({ seconds: 5 })
    await sender.once()

    expect(receiver.numbers.filter((number) => number !== 1)).toEqual([2, 3])
    expect(await show(webhook.id)).toMatchObject({ state: 'active', retrying: 1, parked: 0 })
    await service.store.webhooks.deleteWebhook({ id: webhook.id, actor: 'test', at: service.clock.now() })
  })

  test('a refused event is retried separately and parked after three days, and a new one still arrives at once', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    refuse(receiver, 500, 1)
    await service.write(environment.id, 1)
    await threeDays(sender)
    const tried = receiver.requests.length

    await service.write(environment.id, 2)
    await sender.once()

    expect(tried).toBeGreaterThan(8)
    expect(receiver.numbers.slice(tried)).toEqual([2])
    expect(await show(webhook.id)).toMatchObject({ state: 'active', problem: null, retrying: 0, parked: 1 })
    expect(await parkedOf(webhook.id)).toMatchObject([
      { type: 'credits.low', attempts: tried, problem: 'the receiver answered 500' },
    ])
    // Other tests of this file park events too.
    expect((await service.store.webhooks.webhookGauges({ now: service.clock.now() })).parked).toBeGreaterThan(0)
  })

  test('parked events are resent with new retries, and an accepted one is no longer parked', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    refuse(receiver, 422, 1)
    await service.write(environment.id, 1)
    await threeDays(sender)
    const again = () => retryParked(service.deps(), { webhookId: webhook.id, actor: 'test' })

    const first = await again()
    await sender.once()
    expect([first, await show(webhook.id)]).toMatchObject([1, { retrying: 1, parked: 0 }])
    receiver.respond = (response) => response.end()
    service.clock.advance({ seconds: 5 })
    await sender.once()

    expect(await show(webhook.id)).toMatchObject({ retrying: 0, parked: 0 })
    expect(await again()).toBe(0)
  })

  test('retries to a failing receiver back off, nothing is lost, and everything arrives when it is back', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    receiver.respond = (response) => response.destroy()
    await service.write(environment.id, 1, 2, 3, 4, 5, 6, 7, 8)
    for (let minute = 0; minute < 30; minute++) {
      await sender.once()
      service.clock.advance({ minutes: 1 })
    }
    const asked = receiver.requests.length
    receiver.respond = (response) => response.end()
    await service.store.webhooks.updateWebhook({
      id: webhook.id,
      change: { state: 'active' },
      actor: 'test',
      at: service.clock.now(),
    })
    await retryAll(service.deps(), { webhookId: webhook.id, which: 'waiting' })
    await sender.once()

    expect(asked).toBeLessThan(10)
    const accepted = receiver.numbers.slice(asked)
    expect(accepted.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(await show(webhook.id)).toMatchObject({ retrying: 0, parked: 0, attempts: 0, problem: null })
  })

  test('days of downtime of the service neither pause an endpoint nor park an event', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    receiver.respond = (response) => response.destroy()
    await service.write(environment.id, 1)
    await sender.once()
    service.clock.advance({ days: 4 })
    await service.write(environment.id, 2)
    await sender.once()

    expect(await show(webhook.id)).toMatchObject({ state: 'active', parked: 0, retrying: 2 })
    receiver.respond = (response) => response.end()
    service.clock.advance({ minutes: 10 })
    await sender.once()
    expect(await show(webhook.id)).toMatchObject({ state: 'active', parked: 0, retrying: 0 })
  })

  test('an endpoint that accepts nothing for three days is paused, and gets what waits when it is resumed', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    receiver.respond = (response) => response.writeHead(404).end()
    await service.write(environment.id, 1)
    await threeDays(sender)

    await service.write(environment.id, 2)
    await sender.once()

    const problem = expect.stringContaining('three days of failures')
    expect(await show(webhook.id)).toMatchObject({ state: 'paused', problem, parked: 1, retrying: 1 })
    const tried = receiver.requests.length
    receiver.respond = (response) => response.end()
    await service.write(environment.id, 3)
    await sender.once()
    expect(receiver.requests.length).toBe(tried)
    const change = { state: 'active' as const }
    await service.store.webhooks.updateWebhook({ id: webhook.id, change, actor: 'test', at: service.clock.now() })
    await sender.once()
    service.clock.advance({ seconds: 5 })
    await sender.once()
    expect(receiver.numbers.slice(tried)).toEqual([3, 2])
  })

  test('a parked event is removed if it is erased, pruned, or no longer subscribed', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    receiver.respond = (response) => response.writeHead(422).end()
    await service.write(environment.id, 1, 2)
    await sender.once()
    expect(await show(webhook.id)).toMatchObject({ retrying: 2 })

    await service.store.events.pruneEvents({ before: service.clock.now() + 1, types: 'others' })
    expect(await show(webhook.id)).toMatchObject({ retrying: 0 })
    await service.write(environment.id, 3)
    await sender.once()
    const change = { events: ['provider.down'] as const }
    await service.store.webhooks.updateWebhook({ id: webhook.id, change, actor: 'test', at: service.clock.now() })
    service.clock.advance({ seconds: 5 })
    await sender.once()

    expect(await show(webhook.id)).toMatchObject({ retrying: 0, parked: 0 })
    expect(receiver.numbers).toEqual([1, 2, 3])
  })

  test('a process that dies between a refusal and its record sends the event again, and skips none', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    const closed: Promise<void>[] = []
    receiver.respond = (_response, { body }) => {
      if (body.includes('"balance":1,')) closed.push(sender.close())
    }
    await service.write(environment.id, 1, 2)
    await sender.once()
    await Promise.all(closed)
    receiver.respond = (response) => response.end()

    const next = service.newSender()
    onTestFinished(() => next.close())
    await next.once()

    expect(receiver.numbers).toEqual([1, 1, 2])
    expect(await show(webhook.id)).toMatchObject({ retrying: 0, parked: 0 })
  })

  test(`${many} parked events are listed and resent in chunks, and another endpoint gets its own meanwhile`, async () => {
    const { webhook } = await service.connected()
    const other = await service.connected()
    await parkMany(service.database.db, webhook.id, service.clock.now())
    expect(await show(webhook.id)).toMatchObject({ parked: 1_000 })
    expect(await parkedOf(webhook.id)).toHaveLength(10)

    const again = retryParked(service.deps(), { webhookId: webhook.id, actor: 'test' })
    await service.write(other.environment.id, 7)
    await other.sender.once()

    expect(other.receiver.numbers).toEqual([7])
    expect(await again).toBe(many)
    expect(await show(webhook.id)).toMatchObject({ parked: 0 })
    await service.store.webhooks.deleteWebhook({ id: webhook.id, actor: 'test', at: service.clock.now() })
  })

  test('an endpoint that an older version made ordered continues after a refused event', async () => {
    const { environment, receiver, webhook, sender } = await service.connected()
    await sql`update webhooks set ordered = 1 where id = ${webhook.id}`.execute(service.database.db)
    refuse(receiver, 422, 1)
    await service.write(environment.id, 1, 2)

    await sender.once()

    expect(receiver.numbers).toEqual([1, 2])
    expect(await show(webhook.id)).toMatchObject({ state: 'active', retrying: 1 })
    await service.store.webhooks.deleteWebhook({ id: webhook.id, actor: 'test', at: service.clock.now() })
  })
})
