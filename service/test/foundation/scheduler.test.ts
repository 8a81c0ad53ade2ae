import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Lane, Scheduler } from '../../src/foundation/pacing/scheduler.ts'

/** Time that passes only while the scheduler sleeps. The event loop is idle for a share of it. */
function fakeTime(idleShare = 1) {
  let now = 1_000
  return {
    now: () => now,
    idle: () => now * idleShare,
    cpu: () => 0,
    sleep: async (ms: number) => {
      await nextTurn()
      now += ms
    },
  }
}

/** The number of steps of 4 ms that begin within a second. */
async function stepsPerSecond(idleShare: number): Promise<number> {
  const time = fakeTime(idleShare)
  const scheduler = new Scheduler(time)
  const ended = time.now() + 1_000
  let begun = 0
  for (; time.now() < ended; begun++) await scheduler.turn(1, () => 4)
  return begun
}

/** Works for some time, and returns the CPU time of it. */
function work(ms: number): number {
  const before = process.threadCpuUsage().user
  for (const end = performance.now() + ms; performance.now() < end;);
  return (process.threadCpuUsage().user - before) / 1_000
}

test('background work has a fifth of the event loop beside busy callers, and more while it is idle', async () => {
  expect(await stepsPerSecond(0)).toBe(51)
  expect(await stepsPerSecond(0.75)).toBe(70)
  expect(await stepsPerSecond(1)).toBe(92)
})

test('a step pays for the time that it takes: it has an eleventh of an idle event loop', async () => {
  const scheduler = new Scheduler()
  const began = performance.now()
  let usedMs = 0
  for (let step = 0; step < 20; step++) {
    await scheduler.turn(1)
    usedMs += work(2)
  }

  // There is no pause after the last step.
  expect(performance.now() - began).toBeGreaterThan(usedMs * 9)
})

test('no second has more than its share, plus what a pause saved, for any costs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 200 }), async (costs) => {
      const time = fakeTime()
      const scheduler = new Scheduler(time)
      const begun: { at: number; cost: number }[] = []
      for (const cost of costs) {
        await scheduler.turn(1, () => cost)
        begun.push({ at: time.now(), cost })
      }
      for (const { at } of begun) {
        const within = begun.filter((other) => other.at >= at && other.at < at + 1_000)
        const used = within.reduce((sum, { cost }) => sum + cost, 0)
        expect(used).toBeLessThanOrEqual(16 + 1_000 * (4 / 11) + 40)
      }
    }),
    { numRuns: 20 },
  )
})

test('environments take turns: the first step of a late one goes before the second of others, however many wait', async () => {
  const scheduler = new Scheduler(fakeTime())
  const begun: Lane[] = []
  const lanes = [...Array.from({ length: 20 }, () => 1), ...Array.from({ length: 20 }, () => 2), 3]

  await Promise.all(lanes.map((lane) => scheduler.turn(lane, () => 4).then(() => begun.push(lane))))

  expect(begun.slice(0, 6)).toEqual([1, 2, 3, 1, 2, 1])
})

test('environments share the time, not the number of steps: cheap steps go more often', async () => {
  const scheduler = new Scheduler(fakeTime())
  const begun: Lane[] = []
  const all = (lane: Lane, costMs: number) =>
    Array.from({ length: 40 }, () => scheduler.turn(lane, () => costMs).then(() => begun.push(lane)))

  await Promise.all([...all('rows', 4), ...all('upload', 1)])

  const first = begun.slice(0, 25)
  expect(first.filter((lane) => lane === 'upload')).toHaveLength(20)
  expect(first.filter((lane) => lane === 'rows')).toHaveLength(5)
})

test('an environment that waits for one step at a time gets no more than its part', async () => {
  const scheduler = new Scheduler(fakeTime())
  const spent = { one: 0, many: 0 }
  const oneByOne = async () => {
    for (let step = 0; step < 30; step++) {
      await scheduler.turn('one', () => 4)
      spent.one += 4
      if (step === 9) spent.many = manyBegun
    }
  }
  let manyBegun = 0
  const many = Array.from({ length: 60 }, () => scheduler.turn('many', () => 4).then(() => (manyBegun += 4)))
  await Promise.all([oneByOne(), ...many])

  expect(spent.many).toBeGreaterThanOrEqual(32)
  expect(spent.many).toBeLessThanOrEqual(44)
})

test('the steps of an environment keep their order, and each has a turn of the event loop for itself', async () => {
  const scheduler = new Scheduler(fakeTime())
  const begun: number[] = []
  const all = Promise.all([1, 2, 3].map((step) => scheduler.turn(1).then(() => begun.push(step))))

  const perTurn: number[] = []
  for (let before = 0; begun.length < 3; before = begun.length) {
    await nextTurn()
    perTurn.push(begun.length - before)
  }
  await all

  expect(begun).toEqual([1, 2, 3])
  expect(Math.max(...perTurn)).toBe(1)
})
