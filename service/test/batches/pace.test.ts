import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Pace } from '../../src/batches/run/pace.ts'

/** Time that passes only while the pace sleeps. */
function fakeTime() {
  let now = 1_000
  return {
    now: () => now,
    sleep: async (ms: number) => {
      await nextTurn()
      now += ms
    },
  }
}

/** Runs rows one after the other; each says whether a provider is asked for it. Returns the moments of their begins. */
async function begins(rows: readonly boolean[]): Promise<{ asked: boolean; at: number }[]> {
  const time = fakeTime()
  const pace = new Pace(time)
  const begun: { asked: boolean; at: number }[] = []
  for (const asked of rows) {
    await pace.next(1)
    begun.push({ asked, at: time.now() })
    pace.ended({ asked })
  }
  return begun
}

test('of rows that need a provider four begin at first, and then fifty a second', async () => {
  const begun = await begins(Array.from({ length: 104 }, () => true))

  expect(begun.filter(({ at }) => at === 1_000)).toHaveLength(4)
  expect(begun.at(-1)?.at).toBe(1_000 + 100 * 20)
})

test('rows that the store answers wait for no time', async () => {
  const begun = await begins(Array.from({ length: 500 }, () => false))

  expect(begun.at(-1)?.at).toBe(1_000)
})

test('whatever rows come between them, no second has more fetches than fifty and the 32 that may be saved up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 200 }), async (rows) => {
      const fetches = (await begins(rows)).filter(({ asked }) => asked)
      for (const { at } of fetches) {
        const within = fetches.filter((other) => other.at >= at && other.at < at + 1_000)
        expect(within.length).toBeLessThanOrEqual(82)
      }
    }),
    { numRuns: 20 },
  )
})

test('a row that ends from the store lets the next one begin, though no time has passed', async () => {
  const never = new Promise<void>(() => undefined)
  const pace = new Pace({ now: () => 0, sleep: () => never })
  for (let row = 0; row < 4; row++) await pace.next(1)
  let isBegun = false
  const fifth = pace.next(1).then(() => (isBegun = true))
  await nextTurn()
  expect(isBegun).toBe(false)

  pace.ended({ asked: false })

  expect(await fifth).toBe(true)
})

test('environments take turns: one row of a late one goes before the second row of others, however many of theirs wait', async () => {
  const pace = new Pace(fakeTime())
  const begun: number[] = []
  const rows = [...Array.from({ length: 20 }, () => 1), ...Array.from({ length: 20 }, () => 2), 3]

  await Promise.all(rows.map((accountId) => pace.next(accountId).then(() => begun.push(accountId))))

  expect(begun.slice(0, 6)).toEqual([1, 2, 3, 1, 2, 1])
})
