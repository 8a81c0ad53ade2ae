import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { auditLedger } from '../../../scripts/audit-ledger.ts'
import type { Connection, Database } from '../../src/database/engine/dialect.ts'
import { engines, type Engine } from '../harness/engines.ts'
import { addKey, openLedger, settleAll } from './ledger.ts'
import { capture, charge, hold, minute, noon, release, value } from './requests.ts'

/** A store with every kind of entry: charges, and holds that were captured, released and left open. */
async function openSpent(engine: Engine) {
  const { database, environmentId } = await openLedger(engine, 100)
  await database.db.updateTable('environments').set({ monthly_budget: 60 }).execute()
  await addKey(database, environmentId, {
    id: 'k2',
    ceiling: 10,
    daily_ceiling: 8,
    days_from: noon - (noon % 86_400_000),
  })
  const of = { environmentId }
  const daily = { environmentId, keyId: 'k2' }
  for (const requests of [
    [charge('r1', of), charge('r2', { ...of, price: 3 }), hold('r3', of), hold('r4', { ...of, amount: 2 })],
    [capture('r3', of), release('r4', of), hold('r5', { ...of, amount: 4, idempotency: value('mark') })],
    [charge('r6', { ...daily, price: 2 }), hold('r7', { ...daily, at: noon + 12 * 60 * minute - 1 })],
    // Captured on the next day: it counts on the day of its hold.
    [capture('r7', { ...daily, at: noon + 12 * 60 * minute + 1 })],
  ])
    await settleAll(database, requests)
  return database
}

/** One damage per rule. */
const damages: [rule: string, statement: string][] = [
  ['the balance is the sum of its entries', `update environments set balance = balance + 1`],
  ['what is held is the sum of its entries', `update environments set held = held + 1`],
  ['what is held is the sum of the holds', `update holds set amount = amount + 1`],
  ['a hold is there until its end, with its amount', `delete from holds`],
  [
    'a hold ends once',
    `insert into ledger_entries (account_id, kind, amount, hold_id, at) select account_id, kind, amount, hold_id, at
      from ledger_entries where kind = 'release'`,
  ],
  ['nobody spends more than there is', `update environments set held = balance + 1`],
  ['captured in a month', `update spend_periods set captured = captured + 1 where spend_id = 'k1'`],
  ['held in a month', `update spend_periods set held = held + 1 where spend_id = 'k1'`],
  ['captured of a budget', `update spend_periods set captured = captured + 1 where spend_id like 'environment %'`],
  ['held of a budget', `delete from spend_periods where spend_id like 'environment %'`],
  ['captured in a day', `update spend_periods set captured = captured - 1 where length(period) = 10`],
  ['held in a day', `update spend_periods set held = held + 1 where length(period) = 10`],
  ['no key passes its ceiling', `update keys set ceiling = 2 where id = 'k2'`],
  ['no key passes its daily ceiling', `update keys set daily_ceiling = 2 where id = 'k2'`],
  [
    'a request is charged once',
    `insert into ledger_entries (account_id, kind, amount, request_id, at) select account_id, kind, amount, request_id, at
      from ledger_entries where request_id = 'r1'`,
  ],
  ['a charge has its receipt', `update calls set credits = 9 where request_id = 'r2'`],
  ['a charge has its receipt', `delete from calls where request_id = 'r7'`],
  ['a receipt has its charge', `update calls set request_id = 'r99' where request_id = 'r2'`],
  ['receipts and folded days are all that was charged', `delete from calls where request_id = 'r1'`],
  ['a running call has its hold', `delete from holds`],
]

describe.each(engines)('the independent audit of the ledger on $name', (engine) => {
  test('finds nothing in a correct ledger', async () => {
    const { db, dialect } = await openSpent(engine)

    expect(await audit(db, dialect)).toEqual([])
  })

  test('finds each kind of damage by its rule', async () => {
    const database = await openSpent(engine)

    const found: [string, string][] = []
    for (const [rule, statement] of damages) {
      const rules = await brokenBy(database, statement)
      if (rules.includes(rule)) found.push([rule, statement])
    }

    expect(found).toEqual(damages)
  })
})

/** The rules that a statement breaks. The statement is rolled back. */
async function brokenBy(database: Database, statement: string): Promise<string[]> {
  let rules: string[] = []
  const damage = database.write(async ({ db, dialect }) => {
    await sql.raw(statement).execute(db)
    rules = (await audit(db, dialect)).map(({ rule }) => rule)
    throw new TakenBack()
  })
  await damage.catch((error: unknown) => {
    if (!(error instanceof TakenBack)) throw error
  })
  return rules
}

class TakenBack extends Error {}

function audit(db: Connection['db'], dialect: Connection['dialect']) {
  return auditLedger(async (text) => (await sql.raw<Record<string, unknown>>(text).execute(db)).rows, dialect.name)
}
