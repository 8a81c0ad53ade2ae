import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from '../../../src/providers/transport/turns.ts'

test('however many fetches start at once, a few run per turn of the event loop, in order', async () => {
  const turns = new Turns(2)
  const begun: number[] = []
  const all = Promise.all(Array.from({ length: 9 }, (_, index) => turns.next().then(() => begun.push(index))))

  const perTurn: number[] = []
  for (let before = 0; begun.length < 9; before = begun.length) {
    await nextTurn()
    perTurn.push(begun.length - before)
  }
  await all

  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(4)
})

test('a single fetch does not wait for a turn', async () => {
  const turns = new Turns(2)
  let begun = false
  void turns.next().then(() => (begun = true))

  await Promise.resolve()

  expect(begun).toBe(true)
})
