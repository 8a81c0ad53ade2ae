import { describe, expect, test } from 'vitest'
import { closeMonths, readStatement } from '../../../src/credits/statements/read-statement.ts'
import { engines } from '../../harness/engines.ts'
import { acme, openLedger, settleOne, statementDeps } from '../ledger.ts'
import { capture, charge, hold } from '../requests.ts'

const [secondOfDecember, secondOfJanuary] = [Date.UTC(2026, 11, 2), Date.UTC(2027, 0, 2)]

describe.each(engines)('closed months on $name', (engine) => {
  /** An environment with 100 credits. One call in November has taken 2. */
  async function openCharged() {
    const { database, environmentId } = await openLedger(engine, 100)
    await settleOne(database, charge('r1', { environmentId, price: 2 }))
    const deps = statementDeps(database)
    const clock = { now: () => secondOfJanuary, elapsed: () => 0 }
    const read = (month: string) => readStatement({ ...deps, creditValue: null, clock }, { ...acme, month })
    return { database, environmentId, deps, read }
  }

  test('an entry that is made after its month was closed counts in the next month, and in no other', async () => {
    const { database, environmentId, deps, read } = await openCharged()
    await closeMonths(deps, secondOfDecember)
    const closed = await read('2026-11')

    await settleOne(database, charge('late', { environmentId, price: 3 }))

    expect(await read('2026-11')).toEqual(closed)
    expect(closed).toMatchObject({ charged: 2, closing_balance: 98, in_progress: false })
    const december = { opening_balance: 98, charged: 3, closing_balance: 95 }
    expect(await read('2026-12')).toMatchObject(december)
    expect(await read('2027-01')).toMatchObject({ opening_balance: 95, charged: 0 })
    await closeMonths(deps, secondOfJanuary)
    expect(await read('2026-12')).toMatchObject({ ...december, in_progress: false })
  })

  test('a month is not closed while a call holds credits of it, and counts that call', async () => {
    const { database, environmentId, deps, read } = await openCharged()
    await settleOne(database, hold('r2', { environmentId, amount: 5 }))
    await closeMonths(deps, secondOfDecember)
    expect(await read('2026-11')).toMatchObject({ in_progress: true })
    await settleOne(database, capture('r2', { environmentId, price: 4, at: secondOfDecember }))

    await closeMonths(deps, secondOfDecember)

    expect(await read('2026-11')).toMatchObject({ charged: 6, closing_balance: 94, in_progress: false })
    expect(await read('2026-12')).toMatchObject({ opening_balance: 94, charged: 0 })
  })

  test('a charge between the reading of the figures and the closing of a month is in the closed statement', async () => {
    const { database, environmentId, deps, read } = await openCharged()
    const { statements } = deps.store
    let between = 0
    const statementMonths: typeof statements.statementMonths = async (asked) => {
      const months = await statements.statementMonths(asked)
      if (between++ === 0) await settleOne(database, charge('between', { environmentId, price: 3 }))
      return months
    }

    const store = { ...deps.store, statements: { ...statements, statementMonths } }
    await closeMonths({ ...deps, store }, secondOfDecember)
    await closeMonths(deps, secondOfDecember)

    expect(await read('2026-11')).toMatchObject({ charged: 5, closing_balance: 95, in_progress: false })
  })

  test('a month stays open for an hour after its end', async () => {
    const { deps, read } = await openCharged()

    const closed = [
      await closeMonths(deps, Date.UTC(2026, 11, 1, 0, 59)),
      await closeMonths(deps, Date.UTC(2026, 11, 1, 1)),
    ]

    expect(closed).toEqual([{ closed: 0 }, { closed: 1 }])
    expect(await read('2026-11')).toMatchObject({ in_progress: false })
  })
})
