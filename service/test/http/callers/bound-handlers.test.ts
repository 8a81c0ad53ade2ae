import type { eventOperations } from '@vitae/contract'
import { expect, test } from 'vitest'
import type { Handlers } from '../../../src/http/callers/caller-route.ts'

type Rows = Pick<typeof eventOperations, 'listEvents'>
const listEvents = async () => ({ events: [], next: '0' })

test('the compiler refuses an operation without a handler, a handler without an operation, and a wrong answer', () => {
  const whole: Handlers<Rows> = { listEvents }
  // @ts-expect-error -- the operation has no handler
  const missing: Handlers<Rows> = {}
  // @ts-expect-error -- there is no such operation
  const surplus: Handlers<Rows> = { listEvents, listNews: listEvents }
  // @ts-expect-error -- the answer is not that of the row
  const other: Handlers<Rows> = { listEvents: async () => ({ news: [] }) }

  expect([whole, missing, surplus, other].map((handlers) => Object.keys(handlers).length)).toEqual([1, 0, 2, 1])
})
