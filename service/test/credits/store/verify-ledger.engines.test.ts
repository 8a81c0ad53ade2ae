import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { creditOperations, grantOperations } from '../../../src/credits/operations.ts'
import { engines } from '../../harness/engines.ts'
import { acme, openLedger, settleOne } from '../ledger.ts'
import { capture, charge, hold, noon, release, value } from '../requests.ts'

const tampering: [string, string, { what: string; expected: number | null; actual: number | null }[]][] = [
  [
    'a balance',
    'update environments set balance = balance + 1',
    [{ what: 'balance of acme/production', expected: 94, actual: 95 }],
  ],
  ['a held sum', 'update environments set held = 0', [{ what: 'held of acme/production', expected: 3, actual: 0 }]],
  [
    "a month's sum",
    "update spend_periods set captured = 0 where period = '2026-11' and spend_id = 'k1'",
    [{ what: 'captured of key k1 in 2026-11', expected: 6, actual: 0 }],
  ],
  [
    "a day's sum",
    "update spend_periods set held = 0 where period = '2026-11-14' and spend_id = 'k1'",
    [{ what: 'held of key k1 in 2026-11-14', expected: 3, actual: 0 }],
  ],
  [
    "a budget's sum",
    "update spend_periods set captured = 5 where spend_id like 'environment %'",
    [{ what: 'captured of environment 1 in 2026-11', expected: 6, actual: 5 }],
  ],
  [
    "an entry's amount",
    "update ledger_entries set amount = 7 where kind = 'grant'",
    [{ what: 'balance of acme/production', expected: 1, actual: 94 }],
  ],
  [
    'a removed charge',
    "delete from ledger_entries where kind = 'charge'",
    [
      { what: 'balance of acme/production', expected: 96, actual: 94 },
      { what: 'captured of key k1 in 2026-11', expected: 4, actual: 6 },
      { what: 'captured of key k1 in 2026-11-14', expected: 4, actual: 6 },
      { what: 'captured of environment 1 in 2026-11', expected: 4, actual: 6 },
    ],
  ],
  ['a removed hold', 'delete from holds', [{ what: 'hold r3', expected: 3, actual: null }]],
  ["a hold's amount", 'update holds set amount = 2', [{ what: 'hold r3', expected: 3, actual: 2 }]],
  [
    'a hold out of nowhere',
    `insert into holds values ('r9', 1, 'k1', 'k1', '2026-11', 1, 0, 0, null)`,
    [{ what: 'hold r9', expected: null, actual: 1 }],
  ],
]

describe.each(engines)('vitae ledger verify on $name', (engine) => {
  async function openUsedLedger() {
    const { database, environmentId } = await openLedger(engine, 100)
    await settleOne(database, charge('r1', { environmentId, price: 2 }))
    await grantOperations.countDays(database, { keyId: 'k1', at: noon })
    await grantOperations.setBudget(database, { ...acme, monthly: 50, actor: 'owner', at: noon })
    await settleOne(database, hold('r2', { environmentId, amount: 5 }))
    await settleOne(database, capture('r2', { environmentId, price: 4 }))
    await settleOne(database, hold('r3', { environmentId, amount: 3, idempotency: value('a') }))
    return database
  }

  test('an untouched ledger is in order', async () => {
    const database = await openUsedLedger()
    expect(await creditOperations.verifyLedger(database)).toEqual({ ok: true, entries: 5, differences: [] })
  })

  test('a hold that was released and placed again by the same request counts once, in the ledger and in the day', async () => {
    const database = await openUsedLedger()
    const { id: environmentId } = await database.db.selectFrom('environments').select('id').executeTakeFirstOrThrow()
    await settleOne(database, hold('r4', { environmentId, amount: 5 }))
    await settleOne(database, release('r4', { environmentId }))
    await settleOne(database, hold('r4', { environmentId, amount: 5 }))
    await settleOne(database, capture('r4', { environmentId, price: 4 }))
    await grantOperations.countDays(database, { keyId: 'k1', at: noon })
    expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true, differences: [] })
  })

  test.each(tampering)('%s that was tampered with is reported', async (_, statement, differences) => {
    const database = await openUsedLedger()
    await sql.raw(statement).execute(database.db)
    const report = await creditOperations.verifyLedger(database)
    expect(report.ok).toBe(false)
    expect(report.differences).toEqual(expect.arrayContaining(differences))
  })

  test('a running idempotency record without its hold is reported', async () => {
    const database = await openUsedLedger()
    await database.db.deleteFrom('holds').execute()
    const { differences } = await creditOperations.verifyLedger(database)
    expect(differences.map(({ what }) => what)).toContain('running idempotency record of r3 without a hold')
  })
})
