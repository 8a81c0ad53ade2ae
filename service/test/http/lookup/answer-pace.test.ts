import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AnswerPace } from '../../../src/http/exchange/answer-pace.ts'

/** Calls that return right after a refusal, on a number of connections: how many are answered within the time. */
function answered(connections: number, ms: number, stepMs: number): number {
  const pace = new AnswerPace(stepMs)
  const due = Array.from({ length: connections }, () => 0)
  let count = 0
  for (let now = 0; now < ms; now++)
    for (const [connection, at] of due.entries()) {
      if (at > now) continue
      count++
      due[connection] = now + Math.max(1, pace.delayMs('key', now))
    }
  return count
}

test('a few refusals in a row are answered at once', () => {
  const pace = new AnswerPace(2)
  expect(Array.from({ length: 100 }, () => pace.delayMs('key', 0))).toEqual(Array.from({ length: 100 }, () => 0))
  expect(pace.delayMs('key', 0)).toBeGreaterThan(0)
})

test.each([1, 20, 200])(
  'a flood over %i connections gets at most 500 refusals a second, and 200 free answers',
  (connections) => {
    expect(answered(connections, 10_000, 2)).toBeLessThan(5_000 + 100 + connections)
    expect(answered(connections, 10_000, 5)).toBeLessThan(2_000 + 100 + connections)
  },
)

test('no refusal waits longer than a second, however many there are', () => {
  const pace = new AnswerPace(2)
  const delays = Array.from({ length: 10_000 }, () => pace.delayMs('key', 0))
  expect(Math.max(...delays)).toBe(1_000)
})

test('a flood delays nobody else, and not its own key once it is over', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50_000 }), fc.double({ min: 0, max: 1e9, noNaN: true }), (calls, now) => {
      const pace = new AnswerPace(2)
      for (let call = 0; call < calls; call++) pace.delayMs('flood', now)
      expect(pace.delayMs('other', now)).toBe(0)
      expect(pace.delayMs('flood', now + 1_200)).toBe(0)
    }),
    { numRuns: 30 },
  )
})

test('a delayed refusal is answered eventually', async () => {
  const pace = new AnswerPace(2)
  const waits = Array.from({ length: 110 }, () => pace.wait('key'))

  expect(waits.slice(0, 100).every((wait) => wait === null)).toBe(true)
  await Promise.all(waits.filter((wait) => wait !== null))
})

test('many thousand addresses cost little', () => {
  const pace = new AnswerPace(2)
  const delays = Array.from({ length: 30_000 }, (_, index) => pace.delayMs(`address-${index}`, index))

  expect(Math.max(...delays)).toBe(0)
})
