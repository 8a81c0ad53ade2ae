import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FetchStarts } from '../../../src/lookup/fetch/fetch-starts.ts'

/** The calls for these records that start in each turn of the event loop. */
async function beginsPerTurn(names: readonly string[]): Promise<string[][]> {
  const starts = new FetchStarts()
  const turns: string[][] = [[]]
  const all = Promise.all(names.map((name) => starts.next(name).then(() => turns.at(-1)?.push(name))))
  let isOver = false
  void all.then(() => (isOver = true))
  while (!isOver) {
    await nextTurn()
    turns.push([])
  }
  return turns.filter((begun) => begun.length > 0)
}

test('however many records are missing at once, a few fetches start per turn, in order of arrival', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `people/slug/ada-${index}`)

  const turns = await beginsPerTurn(names)

  expect(turns.flat()).toEqual(names)
  expect(Math.max(...turns.map((begun) => begun.length))).toBeLessThanOrEqual(4)
})

test('callers of one record start together, and count as one', async () => {
  const crowd = Array.from({ length: 500 }, () => 'people/slug/ada')

  const turns = await beginsPerTurn(['people/slug/bea', 'people/slug/cay', ...crowd, 'people/slug/dan'])

  const withAda = turns.filter((begun) => begun.includes('people/slug/ada'))
  expect(withAda).toHaveLength(1)
  expect(turns.length).toBeLessThanOrEqual(3)
})
