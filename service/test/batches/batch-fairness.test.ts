import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

describe('batches beside other calls', () => {
  let service: TestService
  let release: () => void = () => undefined
  // One for each test, because rows of a cancelled batch may still wait for the provider.
  beforeEach(async () => {
    // The provider answers when a test releases it, so its calls time out later than that on any machine.
    const env = { VITAE_MIRROR_CONCURRENCY: '4', VITAE_UPSTREAM_TIMEOUT_MS: '180000' }
    service = await startTestService({ realClock: true, env })
  })
  afterEach(async () => {
    release()
    await service.close()
  })

  /** Blocks all answers of the provider until `release`. */
  const holdProvider = () => {
    const held = Promise.withResolvers<void>()
    release = held.resolve
    service.upstream.until = held.promise
  }
  const reached = async (name: string) => {
    const isThere = () => service.upstream.requests.some(({ path }) => path.includes(name))
    while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const names = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}-${index}`)

  test("a caller's miss reaches the provider while the rows of the same key's batch fill the slots", async () => {
    const { key, project } = await service.newCaller(100)
    const batches = new BatchCaller(service.url, key)
    holdProvider()
    const id = await batches.submit({ kind: 'people', ids: names('filler', 40) })
    await reached('filler-2')

    const call = service.get('/v1/people/profile?profile_id=waits-for-nobody', { ApiKey: key })
    await reached('waits-for-nobody')
    release()

    expect((await call).status).toBe(200)
    expect(await batches.until(id)).toMatchObject({ status: 'completed', counts: { found: 40 } })
    expect((await service.balance('production', project)).balance).toBe(59)
  })

  test('a batch of one row does not wait for 64 long ones of 16 other environments', async () => {
    const one = await service.newCaller(10)
    await service.get('/v1/people/profile?profile_id=stored-for-the-17th', { ApiKey: one.key })
    holdProvider()
    const long: [BatchCaller, string][] = []
    for (let tenant = 0; tenant < 16; tenant++) {
      const caller = new BatchCaller(service.url, (await service.newCaller(100)).key)
      for (const name of names(`long-${tenant}`, 4))
        long.push([caller, await caller.submit({ kind: 'people', ids: names(name, 3) })])
    }
    const running = async () =>
      (await Promise.all(long.map(([caller, id]) => caller.show(id)))).filter(({ status }) => status === 'running')
        .length
    await expect.poll(running, { timeout: 150_000, interval: 250 }).toBe(64)

    const modest = new BatchCaller(service.url, one.key)
    const done = await modest.until(await modest.submit({ kind: 'people', ids: ['stored-for-the-17th'] }))
    const others = await running()
    await Promise.all(long.map(([caller, id]) => caller.change(id, 'cancel')))
    release()

    expect(done).toMatchObject({ status: 'completed', counts: { found: 1 } })
    expect(others).toBe(64)
  })

  test('the batch of one environment runs however many batches another one has', async () => {
    const [many, one] = [await service.newCaller(100), await service.newCaller(10)]
    await service.get('/v1/people/profile?profile_id=known-to-the-store', { ApiKey: one.key })
    holdProvider()
    const greedy = new BatchCaller(service.url, many.key)
    const ids: string[] = []
    for (const name of names('greedy', 20)) ids.push(await greedy.submit({ kind: 'people', ids: [name] }))
    await reached('greedy-0')

    const modest = new BatchCaller(service.url, one.key)
    const done = await modest.until(await modest.submit({ kind: 'people', ids: ['known-to-the-store'] }))
    const others = await Promise.all(ids.map((id) => greedy.show(id)))
    release()

    expect(done).toMatchObject({ status: 'completed', counts: { found: 1 } })
    expect(others.filter(({ status }) => status === 'running')).toHaveLength(4)
    expect(others.filter(({ status }) => status === 'queued')).toHaveLength(16)
    for (const id of ids) expect((await greedy.until(id)).counts.found).toBe(1)
  })
})
