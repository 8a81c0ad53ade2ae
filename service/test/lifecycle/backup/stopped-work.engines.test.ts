import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { runDueWatches } from '../../../src/watches/run-watches.ts'
import { BatchCaller } from '../../batches/batch-caller.ts'
import { Receiver } from '../../events/webhooks/webhook-fixture.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
})
afterAll(() => service.close())

test('batches, watches and webhooks of a restored store are paused until they are resumed, on every node', async () => {
  const { store, webhookSender } = service.service
  const { key, project, balance } = await service.newCaller(100)
  const batches = new BatchCaller(service.url, key)
  const receiver = new Receiver()
  onTestFinished(() => receiver.close())
  const url = await receiver.listen()
  const headers = { ApiKey: key, 'content-type': 'application/json' }
  const watch = JSON.stringify({ kind: 'people', id: 'watched-ada', every_days: 1 })
  await fetch(`${service.url}/v1/watches`, { method: 'POST', headers, body: watch })
  const events = ['record.erased', 'batch.completed']
  await service.admin('POST', '/webhooks', { project, environment: 'production', url, events })
  await service.person('erased-ada', '', { ApiKey: key })
  expect(await store.upkeep.stopWork(null)).toBe(true)

  await service.admin('POST', '/records/people/erased-ada/erase', { reason: 'asked to' })
  const id = await batches.submit({ kind: 'people', ids: ['batched-ada', 'batched-grace'] })
  service.clock.advance({ days: 2 })
  const claim = { node: 'another', now: service.clock.now(), leaseMs: 10_000, pauseAtMostMs: 1_000 }
  const claimed = await store.batches.claimBatches({ ...claim, limit: 10, ofEnvironment: 10, except: [] })
  await runDueWatches(service.service, 4)
  await webhookSender.once()
  const waiting = await balance()
  const { attention } = await service.admin<{ attention: { kind: string }[] }>('GET', '/overview')
  const before = await service.admin('GET', '/work')
  const resumed = await service.admin('POST', '/work/resume')
  const again = await service.admin('POST', '/work/resume')

  expect(claimed).toEqual([])
  expect((await batches.show(id)).counts.waiting).toBe(2)
  expect(waiting).toBe(99)
  expect(receiver.requests).toEqual([])
  expect(attention.map(({ kind }) => kind)).toContain('work')
  expect([before, resumed, again]).toEqual([{ stopped: true }, { resumed: true }, { resumed: false }])
  await runDueWatches(service.service, 4)
  expect(await balance()).toBeLessThan(99)
  await service.service.batchRunner.start()
  await batches.until(id)
  await webhookSender.once()
  await receiver.arrived(1)
  const audit = await service.admin<{ entries: { action: string }[] }>('GET', '/audit?action=store.resume_work')
  expect(audit.entries).toHaveLength(1)
})

test('a store without batches, watches and webhooks has nothing to pause', async () => {
  const empty = await startTestService()
  onTestFinished(() => empty.close())

  expect(await empty.service.store.upkeep.stopWork(null)).toBe(false)
  expect(await empty.admin('GET', '/work')).toEqual({ stopped: false })
})

const kindsOfWork: [string, (service: TestService) => Promise<unknown>][] = [
  [
    'a webhook',
    async (only) => {
      const { project } = await only.newCaller(0)
      const webhook = { project, environment: 'production', url: 'https://hooks.example.com/', events: ['credits.low'] }
      return only.admin('POST', '/webhooks', webhook)
    },
  ],
  [
    'a watch',
    async (only) => {
      const { key } = await only.newCaller(0)
      const headers = { ApiKey: key, 'content-type': 'application/json' }
      return only.get('/v1/watches', headers, 'POST', JSON.stringify({ kind: 'people', id: 'watched-ada' }))
    },
  ],
  [
    'a paused batch',
    async (only) => {
      const batches = new BatchCaller(only.url, (await only.newCaller(0)).key)
      const { status } = await batches.until(await batches.submit({ kind: 'people', ids: ['batched-ada'] }))
      expect(status).toBe('paused')
    },
  ],
]

test.each(kindsOfWork)('the work of a restored store is paused even if it is only %s', async (_name, begin) => {
  const only = await startTestService()
  onTestFinished(() => only.close())
  await begin(only)

  expect(await only.service.store.upkeep.stopWork(null)).toBe(true)
  expect(await only.admin('GET', '/work')).toEqual({ stopped: true })
})
