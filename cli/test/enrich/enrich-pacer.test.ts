import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { Pacer } from '../../src/enrich/pacer.ts'

const never = new AbortController().signal

/** A rate limit like the service's: a window begins with its first call, and seconds are rounded up. */
class Limit {
  refused = 0
  passed = 0
  #used = 0
  #endsAt = 0
  readonly #limit: number
  readonly #windowMs: number

  constructor(limit: number, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  call() {
    const now = Date.now()
    if (now >= this.#endsAt) [this.#used, this.#endsAt] = [0, now + this.#windowMs]
    if (this.#used < this.#limit) [this.#used, this.passed] = [this.#used + 1, this.passed + 1]
    else this.refused++
    const resetSeconds = Math.ceil((this.#endsAt - now) / 1_000)
    return { limit: this.#limit, remaining: this.#limit - this.#used, resetSeconds }
  }
}

test('for any limit, window, delays and concurrency: hardly any call gets a 429', async () => {
  const given = fc.record({
    limit: fc.integer({ min: 1, max: 40 }),
    seconds: fc.integer({ min: 1, max: 5 }),
    workers: fc.integer({ min: 1, max: 24 }),
    delays: fc.infiniteStream(fc.integer({ min: 0, max: 700 })),
  })
  vi.useFakeTimers()
  try {
    await fc.assert(
      fc.asyncProperty(given, async ({ limit, seconds, workers, delays }) => {
        const pacer = new Pacer()
        const server = new Limit(limit, seconds * 1_000)
        const wait = () => new Promise((resolve) => setTimeout(resolve, delays.next().value))
        let left = limit * 3 + 5
        const work = async () => {
          while (left-- > 0) {
            const turn = await pacer.start(never)
            await wait()
            const rate = server.call()
            await wait()
            pacer.end(turn, rate)
          }
        }
        const done = Promise.all(Array.from({ length: workers }, work))
        const ended = vi.fn()
        void done.then(ended)
        for (let second = 0; second < 5_000 && ended.mock.calls.length === 0; second++)
          await vi.advanceTimersByTimeAsync(1_000)
        expect(server.passed + server.refused).toBe(limit * 3 + 5)
        // A call that is sent in one window and counted in the next may cause a few refusals.
        expect(server.refused).toBeLessThanOrEqual(Math.max(6, (limit * 3 + 5) / 5))
      }),
      { numRuns: 40 },
    )
  } finally {
    vi.useRealTimers()
  }
})

test('calls without an answer do not stop the job', async () => {
  const pacer = new Pacer()
  for (let call = 0; call < 5; call++) {
    const turn = await pacer.start(never)
    expect(turn.order).toBe(call + 1)
    pacer.end(turn, null)
  }
})

test('without rate-limit headers nothing is delayed', async () => {
  const pacer = new Pacer()
  pacer.end(await pacer.start(never), { limit: null, remaining: null, resetSeconds: null })
  const turns = await Promise.all(Array.from({ length: 500 }, () => pacer.start(never)))
  expect(turns).toHaveLength(500)
})

test('a wait for the next window ends when the job is stopped', async () => {
  const pacer = new Pacer()
  pacer.end(await pacer.start(never), { limit: 1, remaining: 0, resetSeconds: 3_600 })
  const stop = new AbortController()
  const waiting = pacer.start(stop.signal)
  stop.abort()
  await expect(waiting).rejects.toThrow('aborted')
})
