import { usageOperations } from '../../../src/credits/operations.ts'
import { describe, expect, test } from 'vitest'
import { listCalls, type CallQuery } from '../../../src/credits/reports/calls.ts'
import { engines } from '../../harness/engines.ts'
import { openLedger, settleAll } from '../ledger.ts'
import { charge, noon } from '../requests.ts'

describe.each(engines)('the list of calls on $name', (engine) => {
  test('a page of calls reads a bounded part of the log, and the next one continues after it', async () => {
    const { database, environmentId } = await openLedger(engine, 100)
    await settleAll(
      database,
      Array.from({ length: 60 }, (_, index) => charge(`r${index}`, { environmentId, price: 1, at: noon + index })),
    )
    let looked = 0
    const callSlice = (query: CallQuery) => {
      looked += 2
      return usageOperations.callSlice(database, { ...query, rows: 2 })
    }
    const store = { usage: { callSlice } }
    const rare = { status: 503, limit: 10 }

    const first = await listCalls(store, { ...rare, before: null })
    const lookedAtFirst = looked
    const second = await listCalls(store, { ...rare, before: first.next })

    expect(first).toEqual({ calls: [], next: { at: noon + 10, requestId: 'r10' } })
    expect(lookedAtFirst).toBe(50)
    expect(second).toEqual({ calls: [], next: null })
  })

  test('calls of the same millisecond stand once each on the pages, wherever a part of the log ends', async () => {
    const { database, environmentId } = await openLedger(engine, 100)
    const ids = Array.from({ length: 40 }, (_, index) => `s${String(index).padStart(2, '0')}`)
    await settleAll(
      database,
      ids.map((id, index) => charge(id, { environmentId, price: 1, at: noon + Math.floor(index / 7) })),
    )
    const callSlice = (query: CallQuery) => usageOperations.callSlice(database, { ...query, rows: 3 })
    const store = { usage: { callSlice } }

    const found: string[] = []
    for (let before: CallQuery['before'] = null; ;) {
      const page = await listCalls(store, { limit: 4, before })
      found.push(...page.calls.map(({ requestId }) => requestId))
      before = page.next
      if (before === null) break
    }

    expect(found).toEqual(ids.toReversed())
  })
})
