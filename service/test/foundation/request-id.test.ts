import { expect, test, vi } from 'vitest'
import { systemClock } from '../../src/foundation/clock.ts'
import { newRequestId } from '../../src/foundation/request-id.ts'

const versionSeven = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('ids are version 7 UUIDs that begin with their time', () => {
  const before = systemClock.now()
  const id = newRequestId()
  const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

  expect(id).toMatch(versionSeven)
  expect(time).toBeGreaterThanOrEqual(before)
  expect(time).toBeLessThan(before + 60_000)
})

test('each id is greater than the previous one, even in a full millisecond and when the clock is set back', () => {
  const now = systemClock.now()
  const clock = vi.spyOn(systemClock, 'now').mockReturnValue(now)
  const ids = Array.from({ length: 10_000 }, newRequestId)
  clock.mockReturnValue(now - 60_000)
  ids.push(...Array.from({ length: 10_000 }, newRequestId))
  clock.mockRestore()

  expect(ids.every((id) => versionSeven.test(id))).toBe(true)
  expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id))).toBe(true)
})
