import { grantOperations } from '../../../src/credits/operations.ts'
import { describe, expect, test } from 'vitest'
import { readEvents } from '../../../src/events/outbox/read-events.ts'
import { engines, type OpenDatabase } from '../../harness/engines.ts'
import { acme, addKey, openLedger, settleAll, settleOne } from '../ledger.ts'
import { capture, charge, hold, noon, release } from '../requests.ts'

const by = { actor: 'owner', at: noon }
const day = 86_400_000

async function told(database: OpenDatabase): Promise<[type: string, spent: unknown][]> {
  const events = await readEvents(database, { after: 0, limit: 100, now: noon })
  return events.map(({ event }) => {
    const data = event.data as { spent?: number; balance?: number }
    return [event.type, data.spent ?? data.balance]
  })
}

describe.each(engines)('alerts of spending on $name', (engine) => {
  test('each threshold is notified once, however many calls follow or are refused', async () => {
    const { database, environmentId } = await openLedger(engine, 40)
    await addKey(database, environmentId, { id: 'k2', ceiling: 10 })
    await grantOperations.setAlerts(database, { ...acme, creditsBelow: 35, ...by })

    for (let call = 0; call < 14; call++)
      await settleAll(database, [charge(`r${call}`, { environmentId, keyId: 'k2' })])

    expect(await told(database)).toEqual([
      ['credits.low', 34],
      ['ceiling.near', 8],
      ['ceiling.reached', 10],
    ])
  })

  test('a batch notifies the same in the same order as its calls one after another', async () => {
    const { database, environmentId } = await openLedger(engine, 40)
    await addKey(database, environmentId, { id: 'k2', ceiling: 10 })
    const calls = Array.from({ length: 14 }, (_, call) => charge(`r${call}`, { environmentId, keyId: 'k2' }))
    await settleAll(database, calls)
    expect(await told(database)).toEqual([
      ['ceiling.near', 8],
      ['ceiling.reached', 10],
    ])
  })

  test('a limit that no price meets exactly is notified with the first call that it refuses, and only then', async () => {
    const { database, environmentId } = await openLedger(engine, 8)
    await addKey(database, environmentId, { id: 'k2', ceiling: 4 })
    const pay = (id: string, keyId: string) => settleOne(database, charge(id, { environmentId, keyId, price: 3 }))
    for (const id of ['a', 'b', 'c']) await pay(id, 'k2')
    for (const id of ['d', 'e', 'f']) await pay(id, 'k1')
    expect(await told(database)).toEqual([
      ['ceiling.reached', 3],
      ['credits.low', 2],
    ])
  })

  test('holds notify nothing, even if they refuse others for a while', async () => {
    const { database, environmentId } = await openLedger(engine, 3)
    await settleOne(database, hold('r1', { environmentId, amount: 3 }))
    await settleOne(database, charge('r2', { environmentId }))
    await settleOne(database, release('r1', { environmentId }))
    expect(await told(database)).toEqual([])

    await settleOne(database, hold('r3', { environmentId, amount: 3 }))
    await settleOne(database, capture('r3', { environmentId, price: 3 }))
    expect(await told(database)).toEqual([['credits.low', 0]])
  })

  test('more credits, a higher ceiling and a new month rearm the alerts', async () => {
    const { database, environmentId } = await openLedger(engine, 1)
    await database.db.updateTable('keys').set({ ceiling: 1 }).execute()
    const pay = (id: string, at = noon) => settleOne(database, charge(id, { environmentId, at }))
    await pay('a')
    await grantOperations.grantCredits(database, { ...acme, amount: 2, ...by })
    await pay('b')
    await database.db.updateTable('keys').set({ ceiling: 2 }).execute()
    await pay('c')
    await pay('d', noon + 30 * day)
    expect(await told(database)).toEqual([
      ['credits.low', 0],
      ['ceiling.near', 1],
      ['ceiling.reached', 1],
      ['ceiling.near', 2],
      ['ceiling.reached', 2],
      ['credits.low', 0],
    ])
  })

  test("an environment's budget is notified once when it is spent", async () => {
    const { database, environmentId } = await openLedger(engine, 9)
    await grantOperations.setBudget(database, { ...acme, monthly: 2, ...by })
    for (const id of ['a', 'b', 'c', 'd']) await settleOne(database, charge(id, { environmentId }))
    expect(await told(database)).toEqual([['budget.reached', 2]])
  })

  test('setting a budget to the same or a lower value does not notify again; a higher one does', async () => {
    const { database, environmentId } = await openLedger(engine, 9)
    for (const monthly of [2, 2, 1, 3]) {
      await grantOperations.setBudget(database, { ...acme, monthly, ...by })
      for (const id of ['a', 'b', 'c', 'd']) await settleOne(database, charge(`${monthly}${id}`, { environmentId }))
    }
    expect(await told(database)).toEqual([
      ['budget.reached', 2],
      ['budget.reached', 3],
    ])
  })

  test('alerts have defaults, can be changed one by one, and are audited', async () => {
    const { database } = await openLedger(engine, 1)
    expect(await grantOperations.readAlerts(database, acme)).toEqual({ credits_below: 1, ceiling_percent: 80 })
    await grantOperations.setAlerts(database, { ...acme, creditsBelow: 50, ...by })
    await grantOperations.setAlerts(database, { ...acme, ceilingPercent: 60, ...by })
    expect(await grantOperations.readAlerts(database, acme)).toEqual({ credits_below: 50, ceiling_percent: 60 })
    const rows = await database.db.selectFrom('audit').select('action').where('action', '=', 'alerts.set').execute()
    expect(rows).toHaveLength(2)
  })
})
