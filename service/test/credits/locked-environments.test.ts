import { expect, test } from 'vitest'
import { SettlementQueue } from '../../src/credits/settlement-queue.ts'
import { decodeBatch, encodeOutcomes, type Outcome } from '../../src/credits/store/settlement-wire.ts'
import { lockTimeout } from '../../src/database/engine/lost-connection.ts'
import { charge } from './requests.ts'

const settled: Outcome = { outcome: 'settled', charged: 1, available: 9, ceilingRemaining: null, ceilingResetsAt: null }
const [healthy, atOnce] = [100, 3]

/**
 * A store in which another transaction locks every environment. It releases a healthy one when a batch waits for it,
 * and the others never.
 */
function lockedStore() {
  const waiting = new Set<number>()
  const giveUp: (() => void)[] = []
  const settle = async (text: string) => {
    const { requests, wait } = decodeBatch(text)
    if (!wait) return encodeOutcomes(requests.map(() => ({ outcome: 'busy' as const })))
    const [{ environmentId } = { environmentId: 0 }] = requests
    if (environmentId >= healthy) return encodeOutcomes(requests.map(() => settled))
    waiting.add(environmentId)
    await new Promise<void>((resolve) => giveUp.push(resolve))
    waiting.delete(environmentId)
    throw lockTimeout('the lock did not come', null)
  }
  return { settle, waiting, giveUp: () => giveUp.splice(0).forEach((each) => each()) }
}

test('three locked environments do not delay a healthy one, even if its own lock is contended', async () => {
  const store = lockedStore()
  const queue = new SettlementQueue(store, { batchesAtOnce: atOnce })
  const locked = [1, 2, 3].map((environmentId) => queue.settle(charge(`locked-${environmentId}`, { environmentId })))
  for (const each of locked) each.catch(() => undefined)
  await expect.poll(() => store.waiting.size).toBe(3)

  for (let call = 0; call < 20; call++) {
    const decision = await queue.settle(charge(`healthy-${call}`, { environmentId: healthy + call }))
    expect(decision).toMatchObject({ outcome: 'settled' })
  }
  expect(store.waiting.size).toBe(3)
  store.giveUp()
  expect(await Promise.allSettled(locked)).toMatchObject(locked.map(() => ({ status: 'rejected' })))
})

test('environments whose lock timed out wait in two places at most the next time, and the rest of them fail at once', async () => {
  const store = lockedStore()
  const queue = new SettlementQueue(store, { batchesAtOnce: atOnce })
  const environments = [1, 2, 3]
  const first = Promise.allSettled(
    environments.map((environmentId) => queue.settle(charge(`a-${environmentId}`, { environmentId }))),
  )
  await expect.poll(() => store.waiting.size).toBe(3)
  store.giveUp()
  await first
  // Until then no batch waits for them.
  await expect
    .poll(async () => {
      for (const environmentId of environments)
        queue.settle(charge(`b-${environmentId}`, { environmentId })).catch(() => undefined)
      return store.waiting.size
    })
    .toBe(2)

  const ends = await Promise.allSettled(
    [...Array(5).keys()].map((call) => queue.settle(charge(`c-${call}`, { environmentId: healthy }))),
  )
  expect(ends).toMatchObject(ends.map(() => ({ status: 'fulfilled' })))
  expect(store.waiting.size).toBe(2)
  store.giveUp()
})
