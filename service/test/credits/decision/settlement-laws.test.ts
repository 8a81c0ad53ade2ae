import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { environmentSpendId, spendDate, type LedgerSnapshot } from '../../../src/credits/decision/ledger-snapshot.ts'
import { decideSettlement, type Settlement } from '../../../src/credits/decision/decide-settlement.ts'
import type { Entry } from '../../../src/credits/decision/ledger-draft.ts'
import type { SettleRequest } from '../../../src/credits/decision/settlement-requests.ts'
import { capture, charge, check, hold, minute, noon, release, value } from '../requests.ts'
import { environment, key, snapshotOf } from './snapshots.ts'

/** Two environments; `k1` and `k2` are in one rotation chain, `k3` belongs to the other environment. */
const anySnapshot = fc
  .record({
    balances: fc.tuple(fc.nat(12), fc.nat(12)),
    ceilings: fc.tuple(fc.option(fc.nat(8)), fc.option(fc.nat(8)), fc.option(fc.nat(8))),
    dailyCeilings: fc.tuple(fc.option(fc.nat(6)), fc.option(fc.nat(6)), fc.option(fc.nat(6))),
    budget: fc.option(fc.nat(8)),
    revokedAt: fc.option(fc.integer({ min: noon, max: noon + 20 * minute })),
  })
  .map(({ balances, ceilings, dailyCeilings, budget, revokedAt }) =>
    snapshotOf(
      [environment(1, balances[0], { budget }), environment(2, balances[1])],
      [
        key('k1', 1, { ceiling: ceilings[0], dailyCeiling: dailyCeilings[0], daysFrom: 0, revokedAt }),
        key('k2', 1, { ceiling: ceilings[1], dailyCeiling: dailyCeilings[1], daysFrom: 0, spendId: 'k1' }),
        key('k3', 2, { ceiling: ceilings[2], dailyCeiling: dailyCeilings[2], daysFrom: 0 }),
      ],
    ),
  )

const who = fc.constantFrom(
  { keyId: 'k1', environmentId: 1 },
  { keyId: 'k2', environmentId: 1 },
  { keyId: 'k3', environmentId: 2 },
)
const idempotency = fc.option(
  fc
    .tuple(fc.constantFrom('a', 'b'), fc.constantFrom('ada', 'ada', 'grace'))
    .map(([hash, print]) => value(hash, print)),
)

/** Requests of a busy period: holds end in every way, and time advances, even past the expiry of holds. */
const anyRequests = fc
  .record({
    calls: fc.array(fc.record({ who, idempotency }), { minLength: 6, maxLength: 6 }),
    steps: fc.array(
      fc.record({
        type: fc.constantFrom('charge', 'hold', 'capture', 'release', 'check'),
        call: fc.nat(5),
        amount: fc.nat(3),
        repeatFreeSince: fc.option(fc.constant(noon)),
        waitMs: fc.constantFrom(0, 0, 1_000, 1_000, 2 * minute, 13 * 60 * minute, 20 * 24 * 60 * minute),
      }),
      { maxLength: 30 },
    ),
  })
  .map(({ calls, steps }) => {
    let at = noon
    return steps.map(({ type, call, amount, repeatFreeSince, waitMs }, index): SettleRequest => {
      at += waitMs
      const common = { ...calls[call]?.who, at, idempotency: calls[call]?.idempotency ?? null }
      if (type === 'charge') return charge(`charge ${index}`, { ...common, price: amount, repeatFreeSince })
      if (type === 'capture') return capture(`call ${call}`, { ...common, price: amount, repeatFreeSince })
      if (type === 'hold') return hold(`call ${call}`, { ...common, amount, expiresAt: at + minute })
      return type === 'check' ? check(`check ${index}`, { ...common, amount }) : release(`call ${call}`, common)
    })
  })

function oneByOne(snapshot: LedgerSnapshot, requests: SettleRequest[]): Settlement {
  const start: Settlement = { decisions: [], snapshot, entries: [], calls: [], events: [] }
  return requests.reduce((before, request) => {
    const after = decideSettlement(before.snapshot, [request])
    return {
      snapshot: after.snapshot,
      decisions: [...before.decisions, ...after.decisions],
      entries: [...before.entries, ...after.entries],
      calls: [...before.calls, ...after.calls],
      events: [...before.events, ...after.events],
    }
  }, start)
}

function changeBy(entry: Entry): { spent: number; held: number } {
  const { kind, amount, heldAmount } = entry
  if (kind === 'hold') return { spent: 0, held: amount }
  if (kind === 'release') return { spent: 0, held: -amount }
  return { spent: amount, held: -(heldAmount ?? 0) }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, next) => total + next, 0)
}

describe('decideSettlement, for all snapshots and all requests', () => {
  const law = (property: (snapshot: LedgerSnapshot, requests: SettleRequest[]) => void) =>
    fc.assert(fc.property(anySnapshot, anyRequests, property), { numRuns: 1_000 })

  test('a batch has the same effect as its requests one after another', () => {
    law((snapshot, requests) => {
      expect(decideSettlement(snapshot, requests)).toEqual(oneByOne(snapshot, requests))
    })
  })

  test('the given snapshot is not changed', () => {
    law((snapshot, requests) => {
      const before = structuredClone(snapshot)
      decideSettlement(snapshot, requests)
      expect(snapshot).toEqual(before)
    })
  })

  test('entries match the changes of environments, months, days and holds', () => {
    law((snapshot, requests) => {
      const after = decideSettlement(snapshot, requests)
      for (const { id, balance } of snapshot.environments.values()) {
        const changes = after.entries.filter((entry) => entry.environmentId === id).map(changeBy)
        const now = after.snapshot.environments.get(id)
        expect(now?.balance).toBe(balance - sum(changes.map((change) => change.spent)))
        expect(now?.held).toBe(sum(changes.map((change) => change.held)))
      }
      for (const { spendId, period, captured, held } of after.snapshot.periods.values()) {
        const isOwn = (entry: Entry) => entry.spendId === spendId || environmentSpendId(entry.environmentId) === spendId
        // A released request may be held again, so an entry ends the last hold before it.
        const dateOf = (own: Entry) => {
          const before = after.entries.slice(0, after.entries.indexOf(own) + 1)
          const placed = before.findLast((entry) => entry.kind === 'hold' && entry.holdId === own.holdId)
          return spendDate(own.holdId === null ? own.at : (placed?.at ?? own.at))
        }
        const counts = (entry: Entry) => period === dateOf(entry).month || period === dateOf(entry).day
        const changes = after.entries.filter((entry) => isOwn(entry) && counts(entry)).map(changeBy)
        expect(captured).toBe(sum(changes.map((change) => change.spent)))
        expect(held).toBe(sum(changes.map((change) => change.held)))
      }
      const holds = [...after.snapshot.holds.values()]
      expect(sum(holds.map(({ amount }) => amount))).toBe(
        sum([...after.snapshot.environments.values()].map((a) => a.held)),
      )
    })
  })

  test('no environment is overdrawn, and no ceiling and no budget is exceeded', () => {
    law((snapshot, requests) => {
      const after = decideSettlement(snapshot, requests).snapshot
      for (const { balance, held } of after.environments.values()) expect(balance - held).toBeGreaterThanOrEqual(0)
      for (const { spendId, period, captured, held } of after.periods.values()) {
        const chain = [...snapshot.keys.values()].filter((each) => each.spendId === spendId)
        const ceilings = chain.map((each) => (period.length === 7 ? each.ceiling : each.dailyCeiling))
        const budgets = [...snapshot.environments.values()].filter(({ id }) => environmentSpendId(id) === spendId)
        const limits = [...ceilings, ...budgets.map(({ budget }) => budget)].map((limit) => limit ?? Infinity)
        expect(captured + held).toBeLessThanOrEqual(Math.max(...limits))
      }
    })
  })

  test('one idempotency value of one environment pays at most once, and only replays name the paid call', () => {
    law((snapshot, requests) => {
      const after = decideSettlement(snapshot, requests)
      const paid = new Map<string, string>()
      for (const call of after.calls) {
        const own = requests.find(({ requestId, at }) => requestId === call.requestId && at === call.at)
        if (!own?.idempotency || own.idempotency.expiresAt <= own.at) continue
        const name = `${own.environmentId} ${own.idempotency.hash}`
        const first = paid.get(name)
        if (first === undefined) paid.set(name, call.requestId)
        expect(call.replayOf).toBe(first ?? null)
        if (first !== undefined) expect(call.credits).toBe(0)
      }
    })
  })

  test('charges equal the entries, and the receipts agree', () => {
    law((snapshot, requests) => {
      const after = decideSettlement(snapshot, requests)
      const charged = sum(after.decisions.map((each) => (each.outcome === 'settled' ? each.charged : 0)))
      expect(charged).toBe(sum(after.entries.map((entry) => changeBy(entry).spent)))
      expect(charged).toBe(sum(after.calls.map((call) => call.credits)))
    })
  })

  test('a check changes nothing and gets the result that a hold would get', () => {
    law((snapshot, requests) => {
      const { snapshot: now } = decideSettlement(snapshot, requests)
      const facts = { keyId: 'k1', environmentId: 1, at: noon + 3 * minute, amount: 2, idempotency: value('a') }
      const asked = decideSettlement(now, [check('new', facts)])
      const placed = decideSettlement(now, [hold('new', facts)])
      expect(asked.snapshot).toEqual(now)
      expect(asked.entries).toEqual([])
      expect(asked.decisions[0]?.outcome).toBe(placed.decisions[0]?.outcome)
    })
  })

  test('when every call is abandoned, every hold is released', () => {
    law((snapshot, requests) => {
      const end = noon + 1_000 * minute
      const all = [0, 1, 2, 3, 4, 5].map((call) => release(`call ${call}`, { at: end }))
      const after = decideSettlement(snapshot, [...requests, ...all])
      for (const { held } of after.snapshot.environments.values()) expect(held).toBe(0)
      for (const { held } of after.snapshot.periods.values()) expect(held).toBe(0)
      expect([...after.snapshot.idempotencyRecords.values()].filter((known) => known.state === 'running')).toEqual([])
    })
  })

  test('the number of refused calls of one price does not depend on their order', () => {
    const calls = fc.array(fc.constantFrom('k1', 'k2'), { maxLength: 20 })
    const permuted = calls.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
    )
    const run = (credits: number, ceiling: number | null, ids: string[]) => {
      const snapshot = snapshotOf(
        [environment(1, credits)],
        [key('k1', 1, { ceiling }), key('k2', 1, { ceiling, spendId: 'k1' })],
      )
      const after = decideSettlement(
        snapshot,
        ids.map((keyId, index) => charge(`${index}`, { keyId })),
      )
      return { count: after.calls.length, environments: after.snapshot.environments, periods: after.snapshot.periods }
    }
    fc.assert(
      fc.property(fc.nat(12), fc.option(fc.nat(12)), permuted, (credits, ceiling, [one, other]) => {
        const expected = Math.min(one.length, credits, ceiling ?? Infinity)
        expect(run(credits, ceiling, one)).toEqual(run(credits, ceiling, other))
        expect(run(credits, ceiling, one).count).toBe(expected)
      }),
    )
  })
})
