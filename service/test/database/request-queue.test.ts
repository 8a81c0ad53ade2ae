import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { RequestQueue } from '../../src/database/sqlite/request-queue.ts'

function queueOf() {
  const begun: string[] = []
  const queue = new RequestQueue<string>({ run: (name) => begun.push(name), isUrgent: (name) => name === 'settle' })
  return { begun, queue }
}

const reads = (count: number, first = 0) => Array.from({ length: count }, (_, index) => `read-${first + index}`)

test('a charge goes before the reads that it came with, and before those that wait', async () => {
  const { begun, queue } = queueOf()
  queue.add([...reads(400), 'settle'])
  expect(begun[0]).toBe('settle')
  const before = begun.length

  queue.add(['settle'])

  expect(begun.indexOf('settle', 1)).toBe(before)
  expect(before).toBeLessThan(100)
})

test('everything else begins in its order, a few in each turn of the event loop', async () => {
  const { begun, queue } = queueOf()
  queue.add(reads(20))
  queue.add(reads(60, 20))

  const perTurn: number[] = [begun.length]
  while (begun.length < 80) {
    const before = begun.length
    await nextTurn()
    perTurn.push(begun.length - before)
  }

  expect(begun).toEqual(reads(80))
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(32)
})

test('a request that comes alone begins at once', () => {
  const { begun, queue } = queueOf()

  queue.add(['read'])

  expect(begun).toEqual(['read'])
})
