import { describe, expect, test } from 'vitest'
import { creditOperations } from '../../src/credits/operations.ts'
import { SettlementQueue } from '../../src/credits/settlement-queue.ts'
import {
  decodeBatch,
  encodeOutcomes,
  type SentBatch,
  type SentOutcomes,
} from '../../src/credits/store/settlement-wire.ts'
import { Failure } from '../../src/foundation/failure.ts'
import { engines } from '../harness/engines.ts'
import { acme, openLedger } from './ledger.ts'
import { charge, noon } from './requests.ts'

type Settle = (sent: SentBatch) => Promise<SentOutcomes>

/** Breaks the connection to the store: before the batch reaches it, or after its commit. */
function breaking(settle: Settle, when: 'before' | 'after', error: Error, times: number): Settle {
  let left = times
  return async (args) => {
    if (left > 0 && when === 'before') {
      left -= 1
      throw error
    }
    const decisions = await settle(args)
    if (left > 0) {
      left -= 1
      throw error
    }
    return decisions
  }
}

const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
const unreachable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

describe.each(engines)('group commit on $name', (engine) => {
  test('requests that arrive during a batch form the next one, and each gets its own answer', async () => {
    const { database, environmentId } = await openLedger(engine, 50)
    const sizes: number[] = []
    const store = { settle: (text: string) => creditOperations.settle(database, text) }
    const settlements = new SettlementQueue(store, { onBatch: (size) => sizes.push(size) })

    const prices = Array.from({ length: 40 }, (_, index) => index % 3)
    const decisions = await Promise.all(
      prices.map((price, index) => settlements.settle(charge(`r${index}`, { environmentId, price }))),
    )

    expect(decisions.map((each) => (each.outcome === 'settled' ? each.charged : null))).toEqual(prices)
    expect(sizes).toEqual([1, 39])
  })

  test.each(['before', 'after'] as const)('a connection lost %s the commit charges once', async (when) => {
    const { database, environmentId } = await openLedger(engine, 50)
    const settle: Settle = (args) => creditOperations.settle(database, args)
    const settlements = new SettlementQueue({ settle: breaking(settle, when, reset, 2) })

    const decisions = await Promise.all(
      ['r1', 'r2', 'r3'].map((id) => settlements.settle(charge(id, { environmentId }))),
    )

    expect(decisions).toMatchObject(decisions.map(() => ({ outcome: 'settled', charged: 1 })))
    expect(await creditOperations.creditBalance(database, { ...acme, at: noon })).toMatchObject({ balance: 47 })
    expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true, entries: 4 })
  })

  test('a possible commit is queried until its outcome is known, even if the store refuses for a while', async () => {
    const { database, environmentId } = await openLedger(engine, 50)
    const settle: Settle = (args) => creditOperations.settle(database, args)
    const refusing = breaking(settle, 'before', new Failure('store_unavailable'), 2)
    let asked = 0
    const settlements = new SettlementQueue({
      settle: (args) => (asked++ === 0 ? breaking(settle, 'after', reset, 1)(args) : refusing(args)),
    })

    expect(await settlements.settle(charge('r1', { environmentId }))).toMatchObject({ outcome: 'settled', charged: 1 })
    expect(asked).toBe(4)
    expect(await creditOperations.creditBalance(database, { ...acme, at: noon })).toMatchObject({ balance: 49 })
  })

  test('an unavailable store is 503, and is used again when it is back', async () => {
    const { database, environmentId } = await openLedger(engine, 50)
    const settle: Settle = (args) => creditOperations.settle(database, args)
    const settlements = new SettlementQueue({ settle: breaking(settle, 'before', unreachable, 3) })

    await expect(settlements.settle(charge('r1', { environmentId }))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    expect(await settlements.settle(charge('r2', { environmentId }))).toMatchObject({ outcome: 'settled' })
  })

  test('an error that is a bug is not retried', async () => {
    const { database, environmentId } = await openLedger(engine, 50)
    const settle: Settle = (args) => creditOperations.settle(database, args)
    const settlements = new SettlementQueue({ settle: breaking(settle, 'before', new TypeError('a bug'), 1) })

    await expect(settlements.settle(charge('r1', { environmentId }))).rejects.toThrow('a bug')
  })
})

test('excess requests are shed before any work, and waiting ones are still answered', async () => {
  const gate = Promise.withResolvers<void>()
  const settlements = new SettlementQueue({
    async settle(text) {
      await gate.promise
      const none = { ceilingRemaining: null, ceilingResetsAt: null }
      const decision = { outcome: 'settled', charged: 1, available: 0, ...none } as const
      return encodeOutcomes(decodeBatch(text).requests.map(() => decision))
    },
  })

  const waiting = Array.from({ length: 20_000 }, (_, index) => settlements.settle(charge(`r${index}`)))
  const shed = settlements.settle(charge('one more'))
  gate.resolve()

  await expect(shed).rejects.toMatchObject({ code: 'overloaded', details: { retryAfterSeconds: 1 } })
  expect(await Promise.all(waiting)).toHaveLength(20_000)
  expect(await settlements.settle(charge('later'))).toMatchObject({ outcome: 'settled' })
})
