import { expect, test } from 'vitest'
import { decideSettlement } from '../../../src/credits/decision/decide-settlement.ts'
import type { PayingEnvironment, LedgerSnapshot, PayingKey } from '../../../src/credits/decision/ledger-snapshot.ts'
import type { SettleRequest } from '../../../src/credits/decision/settlement-requests.ts'
import { capture, charge, hold, minute, noon } from '../requests.ts'
import { environment, key, snapshotOf } from './snapshots.ts'

const tomorrow = noon + 24 * 60 * minute

function ledger(
  credits: number,
  ofKey: Partial<PayingKey> = {},
  ofEnvironment: Partial<PayingEnvironment> = {},
): LedgerSnapshot {
  return snapshotOf([environment(1, credits, ofEnvironment)], [key('k1', 1, { daysFrom: 0, ...ofKey })])
}

/** The alerts of each request, in order. */
function alerts(snapshot: LedgerSnapshot, ...requests: SettleRequest[]): [type: string, data: unknown][][] {
  let now = snapshot
  return requests.map((request) => {
    const after = decideSettlement(now, [request])
    now = after.snapshot
    return after.events.map(({ type, data }) => [type, data])
  })
}

const pays = (...prices: number[]) => prices.map((price, index) => charge(`${index}`, { price }))
const ofKey = (period: string, spent: number, ceiling: number, percent: number) => ({
  key: 'k1',
  period,
  spent,
  ceiling,
  percent,
})

test('credits are low if a payment leaves less than the threshold, and that is notified once', () => {
  const low = ['credits.low', { balance: 2, threshold: 3 }]
  expect(alerts(ledger(5, {}, { lowBelow: 3 }), ...pays(2, 1, 1))).toEqual([[], [low], []])
  expect(alerts(ledger(2), ...pays(1, 1))).toEqual([[], [['credits.low', { balance: 0, threshold: 1 }]]])
})

test('credits are low if a call costs more than there are, and not if something else refuses it', () => {
  expect(alerts(ledger(2), ...pays(3, 3))).toEqual([[['credits.low', { balance: 2, threshold: 1 }]], []])
  const [refused = []] = alerts(ledger(2, { ceiling: 1 }), ...pays(2))
  expect(refused.map(([type]) => type)).toEqual(['ceiling.reached'])
  // A distant ceiling is not affected.
  expect(decideSettlement(ledger(2, { ceiling: 9 }), pays(3)).snapshot.periods.size).toBe(0)
})

test('an event contains its time and its environment', () => {
  const { events } = decideSettlement(ledger(1, { ceiling: 1 }, { budget: 1 }), pays(1))
  expect(events.map(({ type, at, environmentId }) => [type, at, environmentId])).toEqual(
    ['credits.low', 'ceiling.near', 'ceiling.reached', 'budget.reached'].map((type) => [type, noon, 1]),
  )
})

test('a ceiling is near from exactly its percentage on, and reached with its last credit', () => {
  expect(alerts(ledger(99, { ceiling: 10 }), ...pays(7, 1, 1, 1, 1))).toEqual([
    [],
    [['ceiling.near', ofKey('2026-11', 8, 10, 80)]],
    [],
    [['ceiling.reached', ofKey('2026-11', 10, 10, 100)]],
    [],
  ])
  const [half] = alerts(ledger(99, { ceiling: 3 }, { nearPercent: 50 }), ...pays(2))
  expect(half).toEqual([['ceiling.near', ofKey('2026-11', 2, 3, 66)]])
})

test('one payment that goes from 0 to the ceiling notifies both, the near alert first', () => {
  expect(alerts(ledger(99, { ceiling: 4 }), ...pays(4))).toEqual([
    [
      ['ceiling.near', ofKey('2026-11', 4, 4, 100)],
      ['ceiling.reached', ofKey('2026-11', 4, 4, 100)],
    ],
  ])
})

test('a ceiling is reached by a refused call, but not by a call that would just fill it', () => {
  const reached = [['ceiling.reached', ofKey('2026-11', 3, 5, 60)]]
  expect(alerts(ledger(99, { ceiling: 5 }), ...pays(3, 3, 3))).toEqual([[], reached, []])
  const [, refused = []] = alerts(ledger(4, { ceiling: 5 }), ...pays(3, 2))
  expect(refused.map(([type]) => type)).toEqual(['credits.low'])
})

test('a ceiling of 0 is reached with the first call and never near', () => {
  const reached = ['ceiling.reached', ofKey('2026-11', 0, 0, 100)]
  expect(alerts(ledger(9, { ceiling: 0 }), ...pays(1, 1))).toEqual([[reached], []])
})

test('a hold notifies nothing, unless it is refused for more than others hold', () => {
  const types = (...requests: SettleRequest[]) =>
    alerts(ledger(2, { ceiling: 2 }), ...requests).map((events) => events.map(([type]) => type))
  const all = ['credits.low', 'ceiling.near', 'ceiling.reached']
  expect(types(hold('1', { amount: 2 }), hold('2'), capture('1', { price: 2 }))).toEqual([[], [], all])
  expect(types(hold('1', { amount: 3 }))).toEqual([['credits.low', 'ceiling.reached']])
})

test('a refusal for another reason than money notifies nothing', () => {
  expect(alerts(ledger(0, { revokedAt: noon }), ...pays(1), hold('h'))).toEqual([[], []])
  expect(alerts(ledger(0, { ceiling: 0 }), charge('free', { price: 0 }))).toEqual([[]])
})

test('a raised ceiling is notified again, a lowered one is not', () => {
  const { snapshot: spent } = decideSettlement(ledger(99, { ceiling: 10 }), pays(10))
  const withCeiling = (ceiling: number) => ({ ...spent, keys: new Map([['k1', key('k1', 1, { ceiling })]]) })
  const types = (snapshot: LedgerSnapshot, price: number) => alerts(snapshot, ...pays(price))[0]?.map(([type]) => type)
  expect(types(withCeiling(10), 1)).toEqual([])
  expect(types(withCeiling(5), 1)).toEqual([])
  expect(types(withCeiling(11), 1)).toEqual(['ceiling.near', 'ceiling.reached'])
  expect(types(withCeiling(12), 1)).toEqual(['ceiling.near'])
})

test('the notified state of a period is kept when only the other alert is notified', () => {
  const { snapshot } = decideSettlement(ledger(99, { ceiling: 10 }), pays(8))
  const period = (after: LedgerSnapshot) => after.periods.get('k1 2026-11')
  expect(period(snapshot)).toMatchObject({ captured: 8, nearNotified: 10, reachedNotified: null })
  const { snapshot: full } = decideSettlement(snapshot, [charge('last', { price: 2 })])
  expect(period(full)).toMatchObject({ captured: 10, nearNotified: 10, reachedNotified: 10 })
})

test('a daily ceiling is notified with its day, each day, and only from its first counted day', () => {
  const daily = { dailyCeiling: 2 }
  const events = alerts(ledger(99, daily), ...pays(2), charge('next', { price: 2, at: tomorrow }))
  expect(events.map((each) => each[1])).toEqual([
    ['ceiling.reached', ofKey('2026-11-14', 2, 2, 100)],
    ['ceiling.reached', ofKey('2026-11-15', 2, 2, 100)],
  ])
  expect(alerts(ledger(99, { ...daily, daysFrom: tomorrow }), ...pays(2))).toEqual([[]])
})

test('a budget is notified when it is spent, by any key, and never as near', () => {
  const start = snapshotOf([environment(1, 99, { budget: 5 })], [key('k1', 1), key('k2', 1)])
  const events = alerts(start, charge('1', { price: 4 }), charge('2', { keyId: 'k2' }), charge('3', { keyId: 'k2' }))
  expect(events).toEqual([[], [['budget.reached', { month: '2026-11', spent: 5, budget: 5 }]], []])
})

test('keys of one rotation chain share what was notified, and the key that crosses the limit is named', () => {
  const keys = [key('k1', 1, { ceiling: 2 }), key('k2', 1, { ceiling: 2, spendId: 'k1' })]
  const events = alerts(snapshotOf([environment(1, 99)], keys), charge('1'), charge('2', { keyId: 'k2' }), charge('3'))
  expect(events.map((each) => each.map(([, data]) => (data as { key: string }).key))).toEqual([[], ['k2', 'k2'], []])
})
