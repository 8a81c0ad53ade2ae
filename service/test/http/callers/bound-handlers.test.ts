import type { eventOperations } from '@vitae/contract'
import { expect, test } from 'vitest'
import type { Handlers } from '../../../src/http/callers/caller-route.ts'

const listEvents = async () => ({ events: [], next: '0' })

test('the compiler refuses an operation without a handler, a handler without an operation, and another answer', () => {
  const whole: Handlers<typeof eventOperations> = { listEvents }
  // @ts-expect-error -- the operation has no handler
  const missing: Handlers<typeof eventOperations> = {}
  // @ts-expect-error -- there is no such operation
  const surplus: Handlers<typeof eventOperations> = { listEvents, listNews: listEvents }
  // @ts-expect-error -- the answer is not that of the row
  const other: Handlers<typeof eventOperations> = { listEvents: async () => ({ news: [] }) }

  expect([whole, missing, surplus, other].map((handlers) => Object.keys(handlers).length)).toEqual([1, 0, 2, 1])
})
