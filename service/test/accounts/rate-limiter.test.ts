import { expect, test } from 'vitest'
import { LocalRateLimiter } from '../../src/accounts/rate-limits/rate-limiter.ts'
import { systemClock } from '../../src/foundation/clock.ts'

test('a one-minute window never reports a reset of more than one minute', () => {
  const limiter = new LocalRateLimiter(systemClock)

  const ends = Array.from(
    { length: 5_000 },
    (_, id) => limiter.take(String(id), { limit: 3, windowMs: 60_000 }).resetSeconds,
  )

  expect(Math.max(...ends)).toBe(60)
})
