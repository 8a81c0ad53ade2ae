import { describe, expect, test } from 'vitest'
import { spendDate, type LedgerSnapshot, type PayingKey } from '../../../src/credits/decision/ledger-snapshot.ts'
import { decideSettlement } from '../../../src/credits/decision/decide-settlement.ts'
import type { SettleRequest } from '../../../src/credits/decision/settlement-requests.ts'
import { capture, charge, hold, minute, noon, release, value } from '../requests.ts'
import { environment, key, snapshotOf } from './snapshots.ts'

describe('decide, case by case', () => {
  const outcome = (snapshot: LedgerSnapshot, ...requests: SettleRequest[]) => {
    const { decisions } = decideSettlement(snapshot, requests)
    return decisions.map((each) => (each.outcome === 'refused' ? each.code : each.outcome))
  }

  test('key state is checked before idempotency, idempotency before the ceiling, the ceiling before the balance', () => {
    const paid = decideSettlement(snapshotOf([environment(1, 1)], [key('k1', 1, { ceiling: 1 })]), [
      charge('first', { idempotency: value('a') }),
    ]).snapshot
    const revoked = { ...paid, keys: new Map([['k1', key('k1', 1, { ceiling: 1, revokedAt: noon })]]) }

    expect(outcome(revoked, charge('second', { idempotency: value('a') }))).toEqual(['revoked_api_key'])
    expect(outcome(paid, charge('second', { idempotency: value('a') }))).toEqual(['replay'])
    expect(outcome(paid, charge('second'))).toEqual(['credit_ceiling_reached'])
    expect(outcome({ ...paid, keys: new Map([['k1', key('k1', 1)]]) }, charge('second'))).toEqual(['out_of_credits'])
  })

  test('a key pays until the very moment of its end', () => {
    const revoked = snapshotOf([environment(1, 9)], [key('k1', 1, { revokedAt: noon })])
    const expired = snapshotOf([environment(1, 9)], [key('k1', 1, { expiresAt: noon })])
    expect(outcome(revoked, charge('1', { at: noon - 1 }), charge('2'))).toEqual(['settled', 'revoked_api_key'])
    expect(outcome(expired, charge('1', { at: noon - 1 }), charge('2'))).toEqual(['settled', 'expired_api_key'])
  })

  test('a suspended or blocked project pays nothing, nor does a missing key or one of another environment', () => {
    const keys = [key('k1', 1), key('k3', 2)]
    expect(outcome(snapshotOf([environment(1, 9, { suspended: true })], keys), charge('1'))).toEqual([
      'project_suspended',
    ])
    expect(outcome(snapshotOf([environment(1, 9, { billingBlocked: true })], keys), charge('1'))).toEqual([
      'billing_blocked',
    ])
    const snapshot = snapshotOf([environment(1, 9), environment(2, 9)], keys)
    expect(outcome(snapshot, charge('1', { keyId: 'k9' }), charge('2', { keyId: 'k3' }))).toEqual([
      'revoked_api_key',
      'revoked_api_key',
    ])
  })

  test('a capture within its hold settles, however low the balance has become', () => {
    const snapshot = snapshotOf([environment(1, 3)], [key('k1', 1, { ceiling: 3 })])
    const requests = [hold('1', { amount: 3 }), charge('2'), capture('1', { price: 2 }), charge('3')]
    expect(outcome(snapshot, ...requests)).toEqual(['settled', 'credit_ceiling_reached', 'settled', 'settled'])
  })

  test('a capture above its hold must find the difference, and releases the hold otherwise', () => {
    const snapshot = snapshotOf([environment(1, 3)], [key('k1', 1)])
    const { decisions, snapshot: after } = decideSettlement(snapshot, [
      hold('1', { amount: 2 }),
      capture('1', { price: 4 }),
    ])
    expect(decisions[1]).toMatchObject({ outcome: 'refused', code: 'out_of_credits', available: 3 })
    expect(after.holds.size).toBe(0)
    expect(outcome(snapshot, hold('1', { amount: 2 }), capture('1', { price: 3 }))).toEqual(['settled', 'settled'])
  })

  test('a capture does not exceed a ceiling that was lowered while the call ran', () => {
    const held = decideSettlement(snapshotOf([environment(1, 9)], [key('k1', 1)]), [hold('1', { amount: 2 })]).snapshot
    const lowered = { ...held, keys: new Map([['k1', key('k1', 1, { ceiling: 1 })]]) }
    expect(outcome(lowered, capture('1', { price: 2 }))).toEqual(['credit_ceiling_reached'])
    expect(outcome(lowered, capture('1', { price: 1 }))).toEqual(['settled'])
  })

  test('a capture counts in the month of its hold; one without a hold counts in its own', () => {
    const eve = Date.UTC(2026, 10, 30, 23, 59, 59)
    const snapshot = snapshotOf([environment(1, 9)], [key('k1', 1, { ceiling: 1 })])
    const after = decideSettlement(snapshot, [
      hold('1', { at: eve }),
      capture('1', { at: eve + 2_000 }),
      capture('2', { at: eve + 2_000 }),
    ])
    expect(after.decisions.map((each) => [each.outcome, each.ceilingRemaining])).toEqual([
      ['settled', 0],
      ['settled', 1],
      ['settled', 0],
    ])
    expect(after.entries.map((entry) => [entry.kind, entry.month])).toEqual([
      ['hold', '2026-11'],
      ['capture', '2026-11'],
      ['charge', '2026-12'],
    ])
  })

  test('of two calls with one idempotency value the first to finish pays, if the first call had been abandoned', () => {
    const snapshot = snapshotOf([environment(1, 9)], [key('k1', 1)])
    const idempotency = value('a')
    const late = noon + 2 * minute
    const { decisions, snapshot: after } = decideSettlement(snapshot, [
      hold('slow', { idempotency }),
      hold('next', { idempotency, at: late }),
      capture('slow', { idempotency, at: late + 1 }),
      capture('next', { idempotency, at: late + 2 }),
    ])
    expect(decisions.map((each) => each.outcome)).toEqual(['settled', 'settled', 'settled', 'replay'])
    expect(decisions[3]).toMatchObject({ requestId: 'slow', available: 8 })
    expect(after.holds.size).toBe(0)
  })

  test('an abandoned call that fails late does not end the wait for its successor', () => {
    const snapshot = snapshotOf([environment(1, 9)], [key('k1', 1)])
    const idempotency = value('a')
    const late = noon + 2 * minute
    const requests = [
      hold('slow', { idempotency }),
      hold('next', { idempotency, at: late }),
      release('slow', { idempotency, at: late }),
      charge('third', { idempotency, at: late }),
    ]
    expect(outcome(snapshot, ...requests)).toEqual(['settled', 'settled', 'settled', 'running'])
  })

  test('an idempotency value is running while its call runs, done when it is paid, and free after a failure or expiry', () => {
    const snapshot = snapshotOf([environment(1, 9)], [key('k1', 1)])
    const idempotency = value('a')
    const again = (id: string, at = noon) => charge(id, { idempotency, at })
    const running = decideSettlement(snapshot, [hold('1', { idempotency })]).snapshot
    expect(outcome(running, again('2'))).toEqual(['running'])
    expect(outcome(running, charge('2', { idempotency: value('a', 'grace') }))).toEqual(['mismatch'])
    expect(outcome(running, release('1', { idempotency }), again('2'))).toEqual(['settled', 'settled'])
    expect(outcome(running, capture('1', { idempotency }), again('2'))).toEqual(['settled', 'replay'])
    expect(outcome(running, capture('1', { idempotency }), again('2', idempotency.expiresAt))).toEqual([
      'settled',
      'settled',
    ])
  })

  test('a replay keeps the first record version, and reports stale only if that was stale', () => {
    const snapshot = snapshotOf([environment(1, 9)], [key('k1', 1)])
    const first = charge('1', { idempotency: value('a') })
    const replayOf = (source: 'live' | 'store' | 'stale_fallback') =>
      decideSettlement(snapshot, [
        { ...first, call: { ...first.call, source, versionId: 41 } },
        { ...first, requestId: '2', call: { ...first.call, versionId: 42 } },
      ])
    const facts = { outcome: 'replay', requestId: '1', versionId: 41 }
    expect(replayOf('live').decisions[1]).toMatchObject({ ...facts, source: 'store' })
    expect(replayOf('stale_fallback').decisions[1]).toMatchObject({ ...facts, source: 'stale_fallback' })
    expect(replayOf('live').calls[1]).toMatchObject({ requestId: '2', replayOf: '1', versionId: 41, credits: 0 })
  })

  test('while repeats are free an environment pays once per record in the window, even with no credits left', () => {
    const snapshot = snapshotOf([environment(1, 1), environment(2, 1)], [key('k1', 1), key('k3', 2)])
    const free = { repeatFreeSince: noon - minute }
    const { decisions } = decideSettlement(snapshot, [
      charge('1', free),
      charge('2', free),
      charge('3', { ...free, keyId: 'k3', environmentId: 2 }),
      charge('4', { repeatFreeSince: noon + 1, at: noon + minute }),
    ])
    expect(decisions.map((each) => (each.outcome === 'settled' ? each.charged : each.outcome))).toEqual([
      1,
      0,
      1,
      'refused',
    ])
  })

  test('the ceiling with the lowest rest is reported, with the time of its renewal', () => {
    const told = (ceiling: number | null, dailyCeiling: number | null) => {
      const { decisions } = decideSettlement(
        snapshotOf([environment(1, 9)], [key('k1', 1, { ceiling, dailyCeiling, daysFrom: 0 })]),
        [charge('1')],
      )
      return [decisions[0]?.ceilingRemaining, decisions[0]?.ceilingResetsAt]
    }
    const [midnight, december] = [Date.UTC(2026, 10, 15), Date.UTC(2026, 11, 1)]

    expect(told(null, null)).toEqual([null, null])
    expect(told(null, 5)).toEqual([4, midnight])
    expect(told(8, 5)).toEqual([4, midnight])
    expect(told(5, 8)).toEqual([4, december])
    // A new day adds nothing if the month is used up.
    expect(told(5, 5)).toEqual([4, december])
  })

  test("a key's own limits are reported before the environment's", () => {
    const refusal = (limits: Partial<PayingKey>, budget: number | null, credits: number) =>
      outcome(
        snapshotOf([environment(1, credits, { budget })], [key('k1', 1, { daysFrom: 0, ...limits })]),
        charge('1'),
        charge('2'),
      ).at(1)

    expect(refusal({ dailyCeiling: 1 }, 1, 1)).toBe('credit_ceiling_reached')
    expect(refusal({ ceiling: 1, dailyCeiling: 9 }, null, 9)).toBe('credit_ceiling_reached')
    expect(refusal({ ceiling: 2, dailyCeiling: 2 }, 1, 9)).toBe('out_of_credits')
    expect(refusal({}, 2, 1)).toBe('out_of_credits')
  })

  test('a refusal for lack of money names the limit, its size, the rest and its renewal', () => {
    const told = (limits: Partial<PayingKey>, budget: number | null, credits: number) => {
      const start = snapshotOf([environment(1, credits, { budget })], [key('k1', 1, { daysFrom: 0, ...limits })])
      return decideSettlement(start, [charge('1', { price: 3 }), hold('2', { amount: 4 })]).decisions[1]
    }
    const [midnight, december] = [Date.UTC(2026, 10, 15), Date.UTC(2026, 11, 1)]
    const [ofKey, ofEnvironment] = ['credit_ceiling_reached', 'out_of_credits'].map((code) => ({
      outcome: 'refused',
      code,
    }))
    const limit = (name: string, of: number | null, left: number, renewsAt: number | null) => ({
      limit: { limit: name, of, left, asked: 4, renewsAt },
    })

    expect(told({ ceiling: 5, dailyCeiling: 5 }, 5, 5)).toMatchObject({ ...ofKey, ...limit('month', 5, 2, december) })
    expect(told({ ceiling: 7, dailyCeiling: 6 }, 5, 5)).toMatchObject({ ...ofKey, ...limit('day', 6, 3, midnight) })
    expect(told({}, 5, 4)).toMatchObject({ ...ofEnvironment, ...limit('credits', null, 1, null) })
    expect(told({}, 5, 9)).toMatchObject({ ...ofEnvironment, ...limit('budget', 5, 2, december) })
    expect(told({ ceiling: 7, dailyCeiling: 7 }, 7, 7)).toMatchObject({ outcome: 'settled' })
  })

  test('a key and a budget are counted separately, even if their ids are equal', () => {
    const start = snapshotOf([environment(1, 9, { budget: 3 })], [key('1', 1, { ceiling: 3 })])
    const pays = (id: string) => charge(id, { keyId: '1' })
    expect(outcome(start, pays('a'), pays('b'), pays('c'))).toEqual(['settled', 'settled', 'settled'])
  })

  test('a hold from before days were counted is captured in its month only', () => {
    const tomorrow = noon + 24 * 60 * minute
    const limits = { ceiling: 5, dailyCeiling: 1, daysFrom: spendDate(tomorrow).dayStartsAt }
    const start = snapshotOf([environment(1, 9)], [key('k1', 1, limits)])

    const after = decideSettlement(start, [
      hold('1', { amount: 2 }),
      capture('1', { price: 2, at: tomorrow }),
      charge('2', { at: tomorrow }),
    ])

    const counted = [...after.snapshot.periods.values()].map(({ period, captured, held }) => [period, captured, held])
    expect(counted).toEqual([
      ['2026-11', 3, 0],
      ['2026-11-15', 1, 0],
    ])
  })

  test('a price of 0 is always affordable, and has its entry and its receipt', () => {
    const { decisions, entries, calls } = decideSettlement(
      snapshotOf([environment(1, 0)], [key('k1', 1, { ceiling: 0 })]),
      [charge('1', { price: 0 })],
    )
    expect(decisions[0]).toMatchObject({ outcome: 'settled', charged: 0, available: 0, ceilingRemaining: 0 })
    expect([entries.length, calls.length]).toEqual([1, 1])
  })
})
