import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { creditOperations, grantOperations, usageOperations } from '../../src/credits/operations.ts'
import { migrate, migrations } from '../../src/database/migrations/migrate.ts'
import type { UsageAsk } from '../../src/credits/reports/usage-ask.ts'
import { dayMs } from '../../src/foundation/clock.ts'
import { acme, addKey, countedUsage, openLedger, settleOne } from '../credits/ledger.ts'
import { capture, charge, hold, noon } from '../credits/requests.ts'
import { engines, type OpenDatabase } from '../harness/engines.ts'

const withoutBudgets = [
  'alter table keys drop column daily_ceiling',
  'alter table keys drop column days_from',
  'alter table environments drop column monthly_budget',
  "delete from migrations where name = 'budgets'",
]

/**
 * Older nodes write through the view with the old name. Only PostgreSQL has older nodes: the embedded store is one
 * process.
 */
const periods = { postgres: ['key_months', 'month'], sqlite: ['spend_periods', 'period'] } as const

/**
 * The spending that a node of the release before budgets leaves in the store: a charge of 2 and a hold of 3 of the key
 * `k1`.
 */
function spentBefore({ dialect }: OpenDatabase): string[] {
  const [table, period] = periods[dialect.name]
  return [
    `insert into ledger_entries (account_id, kind, amount, key_id, spend_id, month, request_id, hold_id, at)
    values (1, 'charge', 2, 'k1', 'k1', '2026-11', 'old', null, ${noon}), (1, 'hold', 3, 'k1', 'k1', '2026-11', 'r1', 'r1', ${noon})`,
    `insert into holds (id, account_id, key_id, spend_id, month, amount, placed_at, expires_at)
    values ('r1', 1, 'k1', 'k1', '2026-11', 3, ${noon}, ${noon})`,
    `insert into ${table} (spend_id, ${period}, captured, held) values ('k1', '2026-11', 2, 3)
    on conflict (spend_id, ${period}) do update set captured = ${table}.captured + 2, held = ${table}.held + 3`,
    'update environments set balance = balance - 2, held = held + 3',
  ]
}

async function run({ db }: OpenDatabase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

describe.each(engines)('a store of the release before budgets on $name', (engine) => {
  test('is upgraded with its money, and new limits count earlier spending', async () => {
    const { database, environmentId } = await openLedger(engine, 20)
    await run(database, [...withoutBudgets, ...spentBefore(database)])

    expect(await migrate(database.db, database.dialect, noon)).toBe(migrations.at(-1)?.number)

    await grantOperations.countDays(database, { keyId: 'k1', at: noon })
    await database.db.updateTable('keys').set({ ceiling: 9, daily_ceiling: 6 }).execute()
    const budget = await grantOperations.setBudget(database, { ...acme, monthly: 9, actor: 'owner', at: noon })
    expect(budget).toMatchObject({ available: 15, spent_this_month: 5 })
    expect(await settleOne(database, capture('r1', { environmentId, price: 3 }))).toMatchObject({ charged: 3 })
    expect(await settleOne(database, charge('r2', { environmentId }))).toMatchObject({ ceilingRemaining: 0 })
    expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true, entries: 5 })
  })

  test('still counts in usage what retention had removed from it', async () => {
    const { database } = await openLedger(engine, 20)
    await run(database, [
      ...(database.dialect.name === 'postgres' ? ['drop table usage_days'] : []),
      "delete from migrations where name in ('usage-days', 'final days')",
      ...spentBefore(database),
    ])
    await migrate(database.db, database.dialect, noon)

    const days = await database.db.selectFrom('key_days').select(['key_id', 'calls', 'credits']).execute()
    expect(days).toEqual([{ key_id: 'k1', calls: 1, credits: 2 }])
  })

  test('may be charged by both releases at once, and stays exact', async () => {
    const { database, environmentId } = await openLedger(engine, 20)
    await settleOne(database, hold('r0', { environmentId, amount: 4 }))
    await run(database, spentBefore(database))

    await creditOperations.releaseHolds(database, { at: noon, all: true })

    expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true, differences: [] })
    expect(await creditOperations.creditBalance(database, { ...acme, at: noon })).toMatchObject({
      balance: 18,
      held: 0,
    })
  })
})

describe.each(engines)('a store of the release before revoked keys were a state on $name', (engine) => {
  test('keeps revoked keys revoked, by a right clock or one that was ahead, and a rotation keeps its overlap', async () => {
    const { database, environmentId } = await openLedger(engine, 20)
    const { db } = database
    const now = Date.now()
    const keys = { revoked: now - 60_000, 'revoked-ahead': now + 3_600_000, rotated: now + 3_600_000, successor: null }
    for (const [id, revoked_at] of Object.entries(keys)) await addKey(database, environmentId, { id, revoked_at })
    await db.updateTable('keys').set({ rotated_from: 'rotated' }).where('id', '=', 'successor').execute()
    await run(database, [
      'alter table keys drop column revoked',
      'alter table environments drop column recurring_unsure',
      "delete from migrations where name = 'clocks'",
    ])

    await migrate(db, database.dialect, noon)

    const states = await db.selectFrom('keys').select(['id', 'revoked', 'revoked_at']).orderBy('id').execute()
    expect(states).toEqual([
      { id: 'k1', revoked: 0, revoked_at: null },
      { id: 'revoked', revoked: 1, revoked_at: keys.revoked },
      { id: 'revoked-ahead', revoked: 1, revoked_at: keys['revoked-ahead'] },
      { id: 'rotated', revoked: 0, revoked_at: keys.rotated },
      { id: 'successor', revoked: 0, revoked_at: null },
    ])
    expect(await db.selectFrom('environments').select('recurring_unsure').execute()).toEqual([
      { recurring_unsure: null },
    ])
  })
})

describe.each(engines)('a store of the release before recipients on $name', (engine) => {
  test('knows the recipients that its call log and its paid versions name, merged records by the key that was given', async () => {
    const { database, environmentId } = await openLedger(engine, 20)
    const { db } = database
    const entity = { kind: 'people' as const, derived: 0, version_id: null, name: null, created_at: 1, used_at: null }
    const made = await db
      .insertInto('entities')
      .values(['called', 'paid', 'survivor', 'unseen'].map((key) => ({ ...entity, key })))
      .returning(['id', 'key'])
      .execute()
    const idOf = (key: string) => made.find((row) => row.key === key)?.id ?? 0
    const gone = 9_000
    const version = { provider: 'mirror', fetched_at: 1, thin: 0, body: new Uint8Array(), projection: 1 }
    const { id: versionId } = await db
      .insertInto('versions')
      .values({ ...version, entity_id: idOf('paid') })
      .returning('id')
      .executeTakeFirstOrThrow()
    for (const [index, entityId] of [idOf('called'), idOf('called'), gone].entries())
      await settleOne(database, charge(`old-${index}`, { environmentId, call: { ...charge('').call, entityId } }))
    await db.updateTable('calls').set({ status: 404 }).where('request_id', '=', 'old-1').execute()
    await db.insertInto('paid_versions').values({ version_id: versionId, account_id: environmentId }).execute()
    await db
      .insertInto('merged_entities')
      .values({ id: gone, into_id: idOf('survivor'), kind: 'people', key: 'merged', at: 1 })
      .execute()
    await run(database, [
      'drop index events_of_keys',
      'drop table recipients',
      "delete from migrations where name = 'recipients'",
    ])

    await migrate(db, database.dialect, noon)

    const rows = await db.selectFrom('recipients').selectAll().orderBy('key').execute()
    expect(rows).toEqual(
      [
        ['called', idOf('called')],
        ['merged', idOf('survivor')],
        ['paid', idOf('paid')],
      ].map(([key, entity_id]) => ({ entity_id, account_id: environmentId, kind: 'people', key })),
    )
  })
})

describe.each(engines)('a store of the release before final days on $name', (engine) => {
  const call = {
    mode: 'live' as const,
    key_id: 'k1',
    kind: 'people' as const,
    status: 200,
    code: null,
    identifier: null,
  }
  const none = { entity_id: null, version_id: null, fetch_id: null, replay_of: null }
  const removed = { key_id: 'k1', mode: 'live', kind: 'people', status: 200, source: 'store', tag: '' }
  const dayOf = (number: number) => noon - (noon % dayMs) + number * dayMs
  const ask: UsageAsk = {
    ...{ since: dayOf(0), until: dayOf(9), bucket: dayMs, by: ['key'], durations: true },
    ...{ project: null, environment: null, mode: null },
  }

  /** Makes the table of removed calls as that release left it. */
  async function before({ db, dialect }: OpenDatabase): Promise<void> {
    const columns = `day bigint not null, account_id bigint not null, key_id text not null, mode text not null,
      kind text not null, status integer not null, source text not null, tag text not null, calls bigint not null,
      credits bigint not null, primary key (day, account_id, key_id, mode, kind, status, source, tag)`
    const isThere = dialect.name === 'postgres'
    for (const text of [
      isThere ? 'alter table usage_days drop constraint no_more' : `create table usage_days (${columns})`,
      "delete from migrations where name = 'final days'",
    ])
      await sql.raw(text).execute(db)
  }

  test('keeps the figures of days from which calls were removed, before and after they were summed', async () => {
    const { database, environmentId: account_id } = await openLedger(engine, 0)
    const { db } = database
    await before(database)
    const calls = [0, 1, 2, 3].flatMap((number) =>
      [20, 40].map((duration_ms, index) => ({
        ...{ ...call, ...none, account_id, duration_ms, source: 'store', credits: number },
        ...{ request_id: `r${number}-${index}`, at: dayOf(number) + (index + 1) * 1_000 },
      })),
    )
    await db.insertInto('calls').values(calls).execute()
    // Day 0 was removed before it was summed, and so was a part of day 1; parts of day 2 were removed after it.
    await usageOperations.sumDay(database, { day: dayOf(2), now: noon })
    await usageOperations.sumDay(database, { day: dayOf(3), now: noon })
    const gone = ['r0-0', 'r0-1', 'r1-0', 'r2-0']
    for (const [number, count] of [2, 1, 1].entries()) {
      const values = { day: dayOf(number), account_id, ...removed, calls: count, credits: count * number }
      await sql`insert into usage_days (${sql.join(Object.keys(values).map((name) => sql.ref(name)))})
        values (${sql.join(Object.values(values))})`.execute(db)
    }
    await db.deleteFrom('calls').where('request_id', 'in', gone).execute()

    await migrate(db, database.dialect, noon)

    const days = (await countedUsage(database, ask)).map(({ at, calls: count, credits, durations }) => [
      (at - dayOf(0)) / dayMs,
      count,
      credits,
      durations,
    ])
    const byKey = { ...ask, by: ['endpoint' as const] }
    const durations = (await countedUsage(database, byKey)).map((count) => count.durations)
    expect(days).toEqual([0, 1, 2, 3].map((number) => [number, 2, 2 * number, '']))
    expect(durations).toEqual(['', '40:1', '20:1 40:1', '20:1 40:1'])
    expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true, differences: [] })
    expect(await usageOperations.dayToSum(database, { what: 'calls', before: dayOf(2) })).toMatchObject({
      isSummed: true,
    })
  })

  test.skipIf(engine.name === 'sqlite')(
    'lets an older node read removed calls, of which there are none, but remove none',
    async () => {
      const { database, environmentId: account_id } = await openLedger(engine, 0)
      const { rows } = await sql`select * from usage_days`.execute(database.db)
      const values = { day: dayOf(0), account_id, ...removed, calls: 1, credits: 1 }
      const removing = sql`insert into usage_days (${sql.join(Object.keys(values).map((name) => sql.ref(name)))})
      values (${sql.join(Object.values(values))})`.execute(database.db)

      expect(rows).toEqual([])
      await expect(removing).rejects.toThrow('no_more')
    },
  )
})
