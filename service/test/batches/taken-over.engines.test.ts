import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBatchRunner } from '../../src/batches/run/batch-runner.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ realClock: true, fixed: { idempotencyWaitMs: 200 } })
})
afterAll(() => service.close())

test('max_credits is not exceeded if a node continues rows of a batch that another one has taken over', async () => {
  const { key, project, balance } = await service.newCaller(20)
  const batches = new BatchCaller(service.url, key)
  const { batches: deps, store, keyCache } = service.service
  const stored = ['ada-stored', 'grace-stored', 'emmy-stored']
  for (const id of stored) await service.person(id)
  const gate = Promise.withResolvers<void>()
  service.upstream.until = gate.promise
  const ids = ['ada-frozen', 'grace-frozen', 'emmy-frozen', ...stored]
  const id = await batches.submit({ kind: 'people', ids, max_credits: 3 })
  const held = async () => (await service.balance('production', project)).held
  while ((await held()) < 3) continue

  // The three rows wait for the provider, like those of a frozen node. Its lease expires, and another node takes over.
  const { environmentId } = await keyCache.find(key)
  const runner = async () => (await store.batches.showBatch({ environmentId, publicId: id }))?.runner
  const frozen = await runner()
  const other = createBatchRunner(deps)
  await other.start()
  while ((await runner()) === frozen) {
    await store.leases.freeLeases(null)
    other.wake()
  }
  await batches.until(id, ({ credits_spent: spent }) => spent === 3)
  gate.resolve()
  service.upstream.until = null
  const paused = await batches.until(id)
  // Both finish everything they had started.
  await Promise.all([other.close(), service.service.batchRunner.close()])

  expect(paused).toMatchObject({ status: 'paused', pause_reason: 'max_credits_reached', credits_spent: 3 })
  expect(await balance()).toBe(17)
})
