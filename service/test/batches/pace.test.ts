import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Pace } from '../../src/batches/run/pace.ts'

/** Time that passes only while the pacer sleeps. The event loop is idle for a share of it. */
function fakeTime(idleShare = 1) {
  let now = 1_000
  return {
    now: () => now,
    idle: () => now * idleShare,
    sleep: async (ms: number) => {
      await nextTurn()
      now += ms
    },
  }
}

/** Runs rows one after another; each entry says whether the row calls a provider. Returns their start times. */
async function begins(rows: readonly boolean[], idleShare = 1): Promise<{ asked: boolean; at: number }[]> {
  const time = fakeTime(idleShare)
  const pace = new Pace(time)
  const begun: { asked: boolean; at: number }[] = []
  for (const asked of rows) {
    await pace.next(1)
    begun.push({ asked, at: time.now() })
    pace.ended({ asked })
  }
  return begun
}

/** The number of 400 provider rows that start within a second. */
async function fetchesPerSecond(idleShare: number): Promise<number> {
  const begun = await begins(
    Array.from({ length: 400 }, () => true),
    idleShare,
  )
  return begun.filter(({ at }) => at < 2_000).length
}

test('provider rows start at up to ninety per second in an idle process, fewer beside busy callers', async () => {
  expect(await fetchesPerSecond(1)).toBe(88)
  expect(await fetchesPerSecond(0.75)).toBe(66)
})

test('fifty of them start per second however busy the process is', async () => {
  expect(await fetchesPerSecond(0)).toBe(48)
})

test('rows from the store do not wait', async () => {
  const begun = await begins(Array.from({ length: 500 }, () => false))

  expect(begun.at(-1)?.at).toBe(begun[0]?.at)
})

test('no second has more than ninety-one fetches plus a saved burst of 32, for any rows in between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 500 }), async (rows) => {
      const fetches = (await begins(rows)).filter(({ asked }) => asked)
      for (const { at } of fetches) {
        const within = fetches.filter((other) => other.at >= at && other.at < at + 1_000)
        expect(within.length).toBeLessThanOrEqual(123)
      }
    }),
    { numRuns: 20 },
  )
})

test('a row that ends from the store lets the next one start, even if no time has passed', async () => {
  const never = new Promise<void>(() => undefined)
  let now = 0
  const pace = new Pace({ now: () => now, idle: () => now, sleep: () => never })
  now = 44
  for (let row = 0; row < 4; row++) await pace.next(1)
  let isBegun = false
  const fifth = pace.next(1).then(() => (isBegun = true))
  await nextTurn()
  expect(isBegun).toBe(false)

  pace.ended({ asked: false })

  expect(await fifth).toBe(true)
})

test('environments take turns: the first row of a late one goes before the second row of others, however many wait', async () => {
  const pace = new Pace(fakeTime())
  const begun: number[] = []
  const rows = [...Array.from({ length: 20 }, () => 1), ...Array.from({ length: 20 }, () => 2), 3]

  await Promise.all(rows.map((environmentId) => pace.next(environmentId).then(() => begun.push(environmentId))))

  expect(begun.slice(0, 6)).toEqual([1, 2, 3, 1, 2, 1])
})

test('rows that are ready for their next step run together, and a later one waits for the next turn', async () => {
  const wakes: (() => void)[] = []
  const pace = new Pace({
    now: () => 0,
    idle: () => 0,
    sleep: () => new Promise<void>((resolve) => wakes.push(resolve)),
  })
  const taken: string[] = []
  const step = (name: string) => pace.together().then(() => taken.push(name))

  const first = [step('ada'), step('bea'), step('cay')]
  expect(wakes).toHaveLength(1)
  wakes[0]?.()
  await Promise.all(first)
  void step('dan')

  expect(wakes).toHaveLength(2)
  expect(taken).toEqual(['ada', 'bea', 'cay'])
})
