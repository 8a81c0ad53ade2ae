import { describe, expect, test } from 'vitest'
import { creditOperations, grantOperations } from '../../../src/credits/operations.ts'
import { engines } from '../../harness/engines.ts'
import { acme, addKey, openLedger, settleOne } from '../ledger.ts'
import { capture, charge, hold, noon } from '../requests.ts'

const { grantCredits, adjustCredits, setBudget, countDays } = grantOperations
const { creditBalance, creditHistory, remainingCredits, verifyLedger } = creditOperations
const owner = { ...acme, actor: 'owner', at: noon }

describe.each(engines)('balances on $name', (engine) => {
  test('a grant adds, an adjustment corrects either way, and both are audited', async () => {
    const { database } = await openLedger(engine, 10)

    await grantCredits(database, { ...owner, amount: 5, reason: 'invoice 7' })
    const after = await adjustCredits(database, { ...owner, amount: -3, reason: 'typo' })

    expect(after).toEqual({ balance: 12, held: 0, available: 12 })
    expect(await verifyLedger(database)).toMatchObject({ ok: true, entries: 3 })
    const audit = await database.db.selectFrom('audit').select(['action', 'subject', 'reason']).orderBy('id').execute()
    expect(audit.slice(1)).toEqual([
      { action: 'credits.grant', subject: 'acme/production', reason: 'invoice 7' },
      { action: 'credits.adjust', subject: 'acme/production', reason: 'typo' },
    ])
  })

  test('credits held by calls in progress cannot be removed', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    await settleOne(database, hold('r1', { environmentId, amount: 4 }))

    const refused = { code: 'invalid_request', details: { errors: [{ parameter: 'amount' }] } }
    await expect(adjustCredits(database, { ...owner, amount: -7 })).rejects.toMatchObject(refused)
    expect(await adjustCredits(database, { ...owner, amount: -6 })).toEqual({ balance: 4, held: 4, available: 0 })
  })

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('a grant of %s is refused', async (amount) => {
    const { database } = await openLedger(engine, 1)
    await expect(grantCredits(database, { ...owner, amount })).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await creditBalance(database, { ...acme, at: noon })).toMatchObject({ balance: 1 })
  })

  test('an unknown environment is not found, by name', async () => {
    const { database } = await openLedger(engine, 1)
    const nowhere = { project: 'acme', environment: 'staging' }
    const failure = { code: 'not_found', message: expect.stringContaining('acme/staging') }
    await expect(creditBalance(database, { ...nowhere, at: noon })).rejects.toMatchObject(failure)
    await expect(creditHistory(database, { ...nowhere, limit: 5 })).rejects.toMatchObject(failure)
    await expect(grantCredits(database, { ...owner, ...nowhere, amount: 1 })).rejects.toMatchObject(failure)
  })

  test('the history is read newest first, page by page, without gaps or duplicates', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    for (const id of ['r1', 'r2', 'r3']) await settleOne(database, charge(id, { environmentId }))

    const first = await creditHistory(database, { ...acme, limit: 3 })
    const second = await creditHistory(database, { ...acme, limit: 3, before: first.at(-1)?.id ?? 0 })

    expect(first.map((entry) => entry.requestId)).toEqual(['r3', 'r2', 'r1'])
    expect(second).toMatchObject([{ kind: 'grant', amount: 10, actor: 'owner', requestId: null }])
  })

  test('every entry shows its effect on the balance and the balance after it, on every page', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    await settleOne(database, charge('r1', { environmentId }))
    await settleOne(database, hold('r2', { environmentId }))
    await settleOne(database, capture('r2', { environmentId }))
    await adjustCredits(database, { ...owner, amount: -3, reason: 'typo' })

    const newest = await creditHistory(database, { ...acme, limit: 2 })
    const older = await creditHistory(database, { ...acme, limit: 9, before: newest.at(-1)?.id ?? 0 })
    const grants = await creditHistory(database, { ...acme, limit: 9, kinds: ['grant', 'adjustment'] })

    const steps = [...newest, ...older].map(({ kind, change, balance }) => [kind, change, balance])
    expect(steps).toEqual([
      ['adjustment', -3, 5],
      ['capture', -1, 8],
      ['hold', 0, 9],
      ['charge', -1, 9],
      ['grant', 10, 10],
    ])
    expect(grants.map(({ kind, change, balance }) => [kind, change, balance])).toEqual([
      ['adjustment', -3, null],
      ['grant', 10, null],
    ])
  })

  test('a key without a ceiling, and a key without a month, have a spending state', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    const ask = { environmentId, keyId: 'k1', at: noon }
    const december = { ceilingResetsAt: Date.UTC(2026, 11) }
    const none = { ceilingRemaining: null, ceilingResetsAt: null }
    expect(await remainingCredits(database, ask)).toEqual({ available: 10, ...none })
    await database.db.updateTable('keys').set({ ceiling: 4 }).execute()
    expect(await remainingCredits(database, ask)).toEqual({ available: 10, ceilingRemaining: 4, ...december })
    await settleOne(database, hold('r1', { environmentId, amount: 3 }))
    expect(await remainingCredits(database, ask)).toEqual({ available: 7, ceilingRemaining: 1, ...december })
    await countDays(database, { keyId: 'k1', at: noon })
    await database.db.updateTable('keys').set({ daily_ceiling: 3 }).execute()
    const tomorrow = { ceilingResetsAt: Date.UTC(2026, 10, 15) }
    expect(await remainingCredits(database, ask)).toEqual({ available: 7, ceilingRemaining: 0, ...tomorrow })
  })

  test('a budget counts what was spent and held before it was set, and its removal leaves nothing', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    await addKey(database, environmentId, { id: 'k2' })
    await settleOne(database, charge('r1', { environmentId, price: 2 }))
    await settleOne(database, hold('r2', { environmentId, keyId: 'k2', amount: 3 }))

    const set = await setBudget(database, { ...owner, monthly: 6 })
    const refused = await settleOne(database, charge('r3', { environmentId, price: 2 }))
    await settleOne(database, capture('r2', { environmentId, keyId: 'k2', price: 1 }))
    const paid = await settleOne(database, charge('r4', { environmentId, price: 3 }))

    expect(set).toMatchObject({ available: 5, monthly_budget: 6, spent_this_month: 5 })
    expect([refused, paid]).toMatchObject([{ code: 'out_of_credits' }, { outcome: 'settled' }])
    expect(await creditBalance(database, { ...acme, at: noon })).toMatchObject({ spent_this_month: 6 })
    expect(await verifyLedger(database)).toMatchObject({ ok: true })
    expect(await setBudget(database, { ...owner, monthly: null })).toEqual({ balance: 4, held: 0, available: 4 })
    expect(await verifyLedger(database)).toMatchObject({ ok: true })
  })
})
