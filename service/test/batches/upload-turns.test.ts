import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { UploadTurns } from '../../src/batches/input/upload-turns.ts'

const open = { waitingAtMost: 100, isLost: () => false }

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test('uploads use a fifth of the time, regardless of their number and the length of their steps', async () => {
  const turns = new UploadTurns()
  const began = performance.now()
  const upload = async (environmentId: number) => {
    for (let step = 0; step < 5; step++) {
      await turns.next(environmentId)
      work(2)
    }
  }
  await Promise.all([upload(1), upload(1), upload(2), upload(3)])

  // There is no pause after the last step.
  expect(performance.now() - began).toBeGreaterThan(19 * 2 * 5)
})

test('environments take turns, however many uploads one of them has', async () => {
  const turns = new UploadTurns()
  const steps: number[] = []
  const upload = async (environmentId: number) => {
    for (let step = 0; step < 3; step++) {
      await turns.next(environmentId)
      steps.push(environmentId)
    }
  }
  await Promise.all([upload(1), upload(1), upload(1), upload(2)])

  expect(steps.slice(0, 6)).toEqual([1, 2, 1, 2, 1, 2])
  expect(steps).toHaveLength(12)
})

test('a failed upload passes its turn to the next one', async () => {
  const turns = new UploadTurns()
  const failing = Array.from({ length: 40 }, () =>
    turns.read(1, open, async () => {
      await nextTurn()
      throw new Error('cut off')
    }),
  )

  expect((await Promise.allSettled(failing)).filter(({ status }) => status === 'rejected')).toHaveLength(40)
  expect(await turns.read(1, open, async () => 'read')).toBe('read')
})
