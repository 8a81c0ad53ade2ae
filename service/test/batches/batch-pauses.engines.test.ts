import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Batch, VitaeEvent } from '@vitae/contract'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

/** The batches of one environment with their events, and their service on a test clock. */
describe('pauses of batches', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({
      env: {
        VITAE_NOT_FOUND_RATE: '3/60s',
        VITAE_REPEAT_FREE_DAYS: '30',
        VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8',
      },
      fixed: { openBatches: 3 },
    })
  })
  afterAll(() => service.close())
  afterEach(() => service.upstream.setFault(null))

  const caller = async (credits: number, wish: Record<string, unknown> = {}) => {
    const made = await service.newCaller(credits, wish)
    const batches = () => new BatchCaller(service.url, made.key)
    const events = async () => {
      const { json } = await batches().ask('/v1/events?limit=500')
      return (json['events'] as VitaeEvent[]).filter(({ type }) => type.startsWith('batch.'))
    }
    return { ...made, batches, events }
  }

  /** Advances time for a waiting batch. */
  const later = (time: Parameters<TestService['clock']['advance']>[0]) => {
    service.clock.advance(time)
    service.service.batchRunner.wake()
  }

  const told = (events: VitaeEvent[]) =>
    events.map(({ type, data }) => [type, (data as { pause_reason?: string }).pause_reason])

  test('a batch whose key reached its ceiling pauses, notifies once, and resumes by itself when the ceiling is raised', async () => {
    const { batches, keyId, events } = await caller(100, { ceiling: 1 })
    const id = await batches().submit({ kind: 'people', ids: ['ada-ceiling', 'grace-ceiling', 'emmy-ceiling'] })
    const paused = await batches().until(id)
    const { resumes_at: first } = paused
    later({ seconds: 6 })
    const again = await batches().until(id, ({ status, resumes_at: at }) => status === 'paused' && at !== first)
    await service.admin('PATCH', `/keys/${keyId}`, { ceiling: 10 })
    later({ seconds: 6 })
    const done = await batches().until(id, ({ status }) => status === 'completed')

    expect(paused).toMatchObject({ pause_reason: 'credit_ceiling_reached', credits_spent: 1, counts: { failed: 0 } })
    expect(again).toMatchObject({ pause_reason: 'credit_ceiling_reached', credits_spent: 1 })
    expect(done).toMatchObject({ credits_spent: 3, counts: { found: 3 } })
    expect(told(await events())).toEqual([
      ['batch.paused', 'credit_ceiling_reached'],
      ['batch.resumed', 'credit_ceiling_reached'],
      ['batch.completed', undefined],
    ])
  })

  test('a batch that used the allowance for unknown records waits until it renews, and fails no row', async () => {
    const { batches, events } = await caller(100)
    const ids = ['missing-1a', 'missing-1b', 'missing-1c', 'missing-1d', 'missing-1e']
    const id = await batches().submit({ kind: 'people', ids })
    const paused = await batches().until(id)
    const at = service.clock.now()
    later({ seconds: 61 })
    const done = await batches().until(id, ({ status }) => status === 'completed')

    expect(paused).toMatchObject({
      status: 'paused',
      pause_reason: 'upstream_allowance_exceeded',
      counts: { not_found: 3, failed: 0, waiting: 2 },
    })
    const waitMs = Date.parse(paused.resumes_at ?? '') - at
    expect(waitMs).toBeGreaterThan(0)
    expect(waitMs).toBeLessThanOrEqual(60_000)
    expect(done.counts).toMatchObject({ not_found: 5, failed: 0 })
    expect(told(await events()).map(([type]) => type)).toEqual(['batch.paused', 'batch.resumed', 'batch.completed'])
  })

  test('a batch backs off from a failing provider, rarely calls it, fails no row, and completes when it is back', async () => {
    const { batches, events } = await caller(200)
    const ids = Array.from({ length: 120 }, (_, index) => `outage-${index}`)
    await service.upstream.setFault(500)
    const asked = service.upstream.requests.length
    const id = await batches().submit({ kind: 'people', ids })
    const waits: number[] = []
    for (let pauses = 0; pauses < 3; pauses++) {
      const before = service.clock.now()
      const paused = await batches().until(id, (at) => at.status === 'paused' && at.resumes_at !== null)
      expect(paused).toMatchObject({ pause_reason: 'upstream_unavailable', counts: { failed: 0, waiting: 120 } })
      waits.push(Date.parse(paused.resumes_at ?? '') - before)
      later({ seconds: 300 })
      await batches().until(id, (at) => at.status === 'paused' && at.resumes_at !== paused.resumes_at)
    }
    const asks = service.upstream.requests.length - asked
    await service.upstream.setFault(null)
    later({ seconds: 301 })
    const done = await batches().until(id, ({ status }) => status === 'completed')

    expect(waits).toEqual(waits.toSorted((one, other) => one - other))
    // Rows that started before the outage was noticed, with their retries; then one row at a time.
    expect(asks).toBeLessThan(120)
    expect(done).toMatchObject({ credits_spent: 120, counts: { found: 120, failed: 0 } })
    expect(told(await events())).toEqual([
      ['batch.paused', 'upstream_unavailable'],
      ['batch.resumed', 'upstream_unavailable'],
      ['batch.completed', undefined],
    ])
  })

  test('a batch that nobody resumes within VITAE_BATCH_DAYS fails, notifies, and is removed the same number of days later', async () => {
    const { batches, events } = await caller(1)
    const id = await batches().submit({ kind: 'people', ids: ['ada-forgotten', 'grace-forgotten'] })
    const paused = await batches().until(id)
    // No runner sees the time pass, because they first check a batch that runs at the start a minute later.
    const startAfter = async (days: number) => {
      await service.stop()
      service.clock.advance({ days })
      await service.start()
    }
    await startAfter(6)
    const triedAgain = (at: Batch) => at.status === 'paused' && at.resumes_at !== paused.resumes_at
    const waiting = await batches().until(id, triedAgain)
    await startAfter(2)
    const failed = await batches().until(id, ({ status }) => status === 'failed')
    const rows = await batches().results(id)
    const feed = await events()
    await startAfter(8)
    const gone = await batches().ask(`/v1/batches/${id}`)

    expect(paused.pause_reason).toBe('out_of_credits')
    expect(waiting.pause_reason).toBe('out_of_credits')
    expect(failed).toMatchObject({ error: 'paused_too_long', pause_reason: null, counts: { found: 1, waiting: 1 } })
    expect(rows.map(({ status }) => status)).toEqual(['found'])
    expect(feed.map(({ type }) => type)).toEqual(['batch.paused', 'batch.failed'])
    expect(feed[1]?.data).toMatchObject({ batch: id, error: 'paused_too_long' })
    expect(gone.status).toBe(404)
  })

  test('an environment has a limited number of unfinished batches; a repeated submission is still the same batch', async () => {
    const { batches } = await caller(0)
    const ids = ['ada-open']
    const open = [
      await batches().submit({ kind: 'people', ids }),
      await batches().submit({ kind: 'people', ids }),
      await batches().submit({ kind: 'people', ids }, { 'Idempotency-Key': 'third' }),
    ]
    const refused = await batches().post({ kind: 'people', ids })
    const again = await batches().submit({ kind: 'people', ids }, { 'Idempotency-Key': 'third' })
    await batches().change(open[0] ?? '', 'cancel')
    const after = await batches().post({ kind: 'people', ids })

    expect([refused.status, refused.json['code']]).toEqual([409, 'too_many_batches'])
    expect(refused.json['detail']).toMatch(/3 unfinished.*cancel one/)
    expect(again).toBe(open[2])
    expect(after.status).toBe(202)
  })

  test('an id that occurs twice in a batch is paid once within VITAE_REPEAT_FREE_DAYS', async () => {
    const { batches, balance } = await caller(10)
    const first = await batches().submit({ kind: 'people', ids: ['ada-twice'] })
    await batches().until(first)
    const id = await batches().submit({ kind: 'people', ids: ['ada-twice', 'ada-twice', 'grace-twice'] })
    const done = await batches().until(id)
    const rows = await batches().results(id)

    expect(done).toMatchObject({ credits_spent: 1, counts: { found: 3 } })
    expect(rows.map(({ credits }) => credits)).toEqual([0, 0, 1])
    expect(await balance()).toBe(8)
  })

  test('a webhook receives batch.completed with the counts of the batch', async () => {
    const { batches, project } = await caller(10)
    const { url, bodies } = await receiver()
    await service.admin('POST', '/webhooks', {
      project,
      environment: null,
      url,
      format: 'json',
      events: ['batch.completed'],
    })
    const id = await batches().submit({ kind: 'people', ids: ['ada-hook', 'not an id'], name: 'hooked' })
    await batches().until(id)

    await service.service.webhookSender.once()

    expect(bodies).toHaveLength(1)
    expect(bodies[0]).toMatchObject({
      type: 'batch.completed',
      project,
      data: { batch: id, name: 'hooked', total: 2, counts: { found: 1, invalid: 1, waiting: 0 }, credits_spent: 1 },
    })
  })
})

/** A program that receives events. */
async function receiver(): Promise<{ url: string; bodies: VitaeEvent[] }> {
  const bodies: VitaeEvent[] = []
  const server: Server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      bodies.push(JSON.parse(text) as VitaeEvent)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}
