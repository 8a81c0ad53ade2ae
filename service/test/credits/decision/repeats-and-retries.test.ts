import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideSettlement } from '../../../src/credits/decision/decide-settlement.ts'
import type { LedgerSnapshot } from '../../../src/credits/decision/ledger-snapshot.ts'
import type { ChargeRequest, SettleRequest } from '../../../src/credits/decision/settlement-requests.ts'
import { capture, charge, hold, minute, noon, release, value } from '../requests.ts'
import { environment, key, snapshotOf } from './snapshots.ts'

const rich = snapshotOf([environment(1, 999), environment(2, 999)], [key('k1', 1), key('k3', 2)])

function outcomes(snapshot: LedgerSnapshot, ...requests: SettleRequest[]) {
  return decideSettlement(snapshot, requests).decisions.map((each) =>
    each.outcome === 'settled' ? each.charged : each.outcome === 'refused' ? each.code : each.outcome,
  )
}

function chargeFor(entityId: number | null, more: Partial<ChargeRequest>): ChargeRequest {
  const { call } = charge('')
  return charge(`${more.at}`, { ...more, call: { ...call, entityId } })
}

test('every payment costs its price, or only its requested parts if its environment paid for the record within the window', () => {
  const step = fc.record({
    payer: fc.constantFrom({ keyId: 'k1', environmentId: 1 }, { keyId: 'k3', environmentId: 2 }),
    entityId: fc.constantFrom(5, 6, null),
    ofRecord: fc.nat(2),
    extras: fc.nat(2),
    wait: fc.constantFrom(0, minute, 2 * minute),
    window: fc.constantFrom(null, minute, 3 * minute),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let at = noon
      const paidAt = new Map<string, number>()
      const expected: number[] = []
      const requests = steps.map(({ payer, entityId, ofRecord, extras, wait, window }) => {
        at += wait
        const record = `${payer.environmentId} of ${entityId}`
        const isFree = window !== null && entityId !== null && (paidAt.get(record) ?? -Infinity) >= at - window
        expected.push(isFree ? extras : ofRecord + extras)
        if (window !== null && !isFree && ofRecord > 0) paidAt.set(record, at)
        const price = { price: ofRecord + extras, extras, repeatFreeSince: window === null ? null : at - window }
        return chargeFor(entityId, { ...payer, at, ...price })
      })
      expect(outcomes(rich, ...requests)).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})

test('the same message again, after its answer was lost, holds and pays once', () => {
  const idempotency = value('a')
  const twice = [hold('1'), hold('1'), capture('2', { idempotency }), capture('2', { idempotency })]
  const after = decideSettlement(rich, twice)
  expect(outcomes(rich, ...twice)).toEqual([0, 0, 1, 'replay'])
  expect(after.snapshot.environments.get(1)).toMatchObject({ balance: 998, held: 1 })
})

test('a payment stays remembered, whatever happens to a hold of the same call', () => {
  const idempotency = value('a')
  const requests = [
    hold('1', { idempotency }),
    charge('1', { idempotency }),
    release('1'),
    charge('2', { idempotency }),
  ]
  expect(outcomes(rich, ...requests)).toEqual([0, 1, 0, 'replay'])
  const { snapshot } = decideSettlement(rich, requests.slice(0, 2))
  expect(snapshot.environments.get(1)).toMatchObject({ balance: 998, held: 1 })
})

test('a duplicate of a call whose subject was erased is not billed, and has no receipt of an answer', () => {
  const { snapshot } = decideSettlement(rich, [charge('1', { idempotency: value('a') })])
  const emptied = [...snapshot.idempotencyRecords].map(
    ([name, known]) => [name, { ...known, fingerprint: '', versionId: null }] as const,
  )
  const erased = { ...snapshot, idempotencyRecords: new Map(emptied) }
  const after = decideSettlement(erased, [
    charge('2', { idempotency: value('a') }),
    charge('3', { idempotency: value('a', 'grace') }),
  ])
  expect(after.decisions).toMatchObject([
    { outcome: 'replay', requestId: '1', versionId: null },
    { outcome: 'replay', requestId: '1', versionId: null },
  ])
  expect([after.calls, after.entries]).toEqual([[], []])
})

test('held credits are reported as not available to others', () => {
  const { decisions } = decideSettlement(rich, [hold('1', { amount: 9 }), charge('2')])
  expect(decisions.map(({ available }) => available)).toEqual([990, 989])
})

test('a call without an Idempotency-Key leaves no idempotency record, and one without a record leaves no free repeat', () => {
  const { snapshot } = decideSettlement(rich, [charge('1'), chargeFor(null, { at: noon, repeatFreeSince: noon })])
  expect([snapshot.idempotencyRecords.size, snapshot.paid.size]).toEqual([0, 0])
})

test('a key whose days are not counted is counted by month only', () => {
  const { snapshot } = decideSettlement(rich, [charge('1')])
  expect([...snapshot.periods.keys()]).toEqual(['k1 2026-11'])
})

test('a hold is released even if its key is gone', () => {
  const held = decideSettlement(rich, [hold('1')]).snapshot
  const { decisions, snapshot } = decideSettlement({ ...held, keys: new Map() }, [release('1')])
  expect(decisions[0]).toMatchObject({ outcome: 'settled', available: 999, ceilingRemaining: null })
  expect(snapshot.environments.get(1)?.held).toBe(0)
})

test('a hold whose environment is not in the snapshot fails the batch, and is not lost', () => {
  const held = decideSettlement(rich, [hold('1')]).snapshot
  const without = { ...held, environments: new Map() }
  expect(() => decideSettlement(without, [release('1')])).toThrow('environment 1 is not in the ledger snapshot')
})

test('a missing key or environment can spend nothing', () => {
  const { decisions } = decideSettlement(snapshotOf([], []), [charge('1')])
  expect(decisions[0]).toEqual({
    outcome: 'refused',
    code: 'revoked_api_key',
    available: 0,
    ceilingRemaining: null,
    ceilingResetsAt: null,
  })
})

test('a limit lowered below the amount spent leaves nothing, and still refuses no free call', () => {
  const spent = decideSettlement(rich, [charge('1', { price: 5 })]).snapshot
  const lowered = { ...spent, keys: new Map([['k1', key('k1', 1, { ceiling: 3 })]]) }
  const { decisions } = decideSettlement(lowered, [charge('2', { price: 0 }), charge('3')])
  expect(decisions).toMatchObject([
    { outcome: 'settled', charged: 0, ceilingRemaining: 0 },
    { outcome: 'refused', code: 'credit_ceiling_reached', ceilingRemaining: 0 },
  ])
})

test('an entry states who paid, for which call, from which hold, and when', () => {
  const { entries, calls } = decideSettlement(rich, [
    hold('1', { amount: 2 }),
    capture('1', { price: 1, at: noon + 1 }),
    charge('2'),
    hold('3'),
    release('3'),
  ])
  const facts = { environmentId: 1, keyId: 'k1', spendId: 'k1', month: '2026-11', heldAmount: null, at: noon }
  const ofHold = (id: string) => ({ requestId: id, holdId: id })
  expect(entries).toEqual([
    { ...facts, kind: 'hold', amount: 2, ...ofHold('1') },
    { ...facts, kind: 'capture', amount: 1, ...ofHold('1'), heldAmount: 2, at: noon + 1 },
    { ...facts, kind: 'charge', amount: 1, requestId: '2', holdId: null },
    { ...facts, kind: 'hold', amount: 1, ...ofHold('3') },
    { ...facts, kind: 'release', amount: 1, ...ofHold('3') },
  ])
  const receipt = { keyId: 'k1', environmentId: 1, identifier: 'ada-lovelace', credits: 1, replayOf: null }
  expect(calls).toMatchObject([
    { ...receipt, requestId: '1', at: noon + 1 },
    { ...receipt, requestId: '2', at: noon },
  ])
})
