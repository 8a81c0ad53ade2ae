import { sql } from 'kysely'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { creditOperations } from '../../src/credits/operations.ts'
import { makePartitions } from '../../src/database/postgres/partitions.ts'
import { storeOf } from '../credits/ledger.ts'
import { retentionRun } from '../../src/lifecycle/retention/retention.ts'
import type { RetentionRules } from '../../src/config/retention-config.ts'
import { engines, type OpenDatabase } from '../harness/engines.ts'
import { hasEngines } from '../harness/scale-out-engine.ts'

const now = Date.UTC(2026, 10, 14)
const dayMs = 86_400_000
const keepAll: RetentionRules = {
  rawDays: null,
  historyDays: null,
  recordDays: null,
  unusedRecordDays: null,
  callLogDays: null,
  perProvider: {},
}

let database: OpenDatabase

beforeEach(async () => {
  const [engine] = engines
  if (!engine) return
  const opened = await engine.open()
  onTestFinished(() => opened.close())
  database = opened
})

/** A request id with a given time. */
function idAt(at: number, number = 0): string {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(number).padStart(12, '0')}`
}

async function logCallsAt(...times: number[]): Promise<void> {
  const calls = times.map((at, number) => ({
    requestId: idAt(at, number),
    at,
    mode: 'test' as const,
    keyId: 'key',
    environmentId: 1,
    kind: 'people' as const,
    status: 404,
    source: null,
    credits: 0,
    identifier: null,
    entityId: null,
    versionId: null,
    fetchId: null,
    replayOf: null,
    durationMs: 1,
  }))
  await creditOperations.logCalls(database, { calls })
}

async function partitionsOf(table: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = ${sql.lit(table)}::regclass order by relname`.execute(database.db)
  const counts: Record<string, number> = {}
  for (const { name } of rows) {
    const counted = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(database.db)
    counts[name] = Number(counted.rows[0]?.count)
  }
  return counts
}

/** Runs the retention job on this database only. */
function retain(rules: Partial<RetentionRules>, at = now) {
  return retentionRun(storeOf(database), { now: at, rules: { ...keepAll, ...rules }, actor: 'test' })
}

describe.skipIf(!hasEngines)('tables by the month on PostgreSQL', () => {
  test('this month and the next two are created ahead, by any number of nodes at once, and only once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => makePartitions(database, { now })))

    const months = ['2026_11', '2026_12', '2027_01']
    for (const table of ['calls', 'fetches']) {
      expect(Object.keys(await partitionsOf(table))).toEqual([
        ...months.map((month) => `${table}_${month}`),
        `${table}_other`,
      ])
    }
    expect(await makePartitions(database, { now })).toEqual({ made: 0 })
  })

  test('a call is in the month of its id, and is found by one probe of one index', async () => {
    await makePartitions(database, { now })
    await logCallsAt(now, Date.UTC(2026, 10, 30, 23, 59, 59, 999), Date.UTC(2026, 11, 1))

    expect(await partitionsOf('calls')).toMatchObject({ calls_2026_11: 2, calls_2026_12: 1, calls_other: 0 })
    const plan = await sql<Record<string, string>>`
      explain select * from calls where request_id = ${sql.lit(idAt(now))}`.execute(database.db)
    const scans = plan.rows.map((row) => row['QUERY PLAN'] ?? '').filter((line) => /Scan/.test(line))
    expect(scans.join('\n')).toMatch(/calls_2026_11/)
    expect(scans.join('\n')).not.toMatch(/calls_2026_12|calls_other/)
  })

  test('a call that is logged twice is stored once', async () => {
    await makePartitions(database, { now })
    await logCallsAt(now)
    await logCallsAt(now)

    expect(await partitionsOf('calls')).toMatchObject({ calls_2026_11: 1 })
  })

  test('rows that came before their month existed are moved into it', async () => {
    const late = Date.UTC(2027, 5, 1)
    await logCallsAt(now, late)
    expect(await partitionsOf('calls')).toEqual({ calls_other: 2 })

    await makePartitions(database, { now })

    expect(await partitionsOf('calls')).toMatchObject({ calls_2026_11: 1, calls_other: 1 })
    await makePartitions(database, { now: late })
    expect(await partitionsOf('calls')).toMatchObject({ calls_2027_06: 1, calls_other: 0 })
  })

  test('retention drops whole months of the call log, removes single rows of the others, and never touches the ledger', async () => {
    await makePartitions(database, { now })
    await sql`insert into ledger_entries (account_id, kind, amount, at) values (1, 'grant', 5, ${now})`.execute(
      database.db,
    )
    await logCallsAt(now, Date.UTC(2026, 10, 30), Date.UTC(2026, 11, 2), Date.UTC(2026, 11, 20))

    const removed = await retain({ callLogDays: 10 }, Date.UTC(2026, 11, 15))

    expect(removed.calls).toBe(3)
    const left = await partitionsOf('calls')
    expect(left).not.toHaveProperty('calls_2026_11')
    expect(left).toMatchObject({ calls_2026_12: 1 })
    expect((await creditOperations.verifyLedger(database)).entries).toBe(1)
    const counted = await database.db.selectFrom('key_days').select(['calls', 'status']).execute()
    expect(counted).toEqual([1, 1, 1].map((calls) => ({ calls, status: 404 })))
  })

  test('empty months of the archive are dropped too', async () => {
    await makePartitions(database, { now })
    const insert = { provider: 'mirror', kind: 'people' as const, identifier: null, outcome: 'found', redacted: 0 }
    const rows = [now, now + 40 * dayMs].map((at) => ({
      ...insert,
      at,
      status: 200,
      cost: null,
      payload_hash: null,
      entity_id: null,
      duration_ms: 1,
    }))
    await database.db.insertInto('fetches').values(rows).execute()
    expect(await partitionsOf('fetches')).toMatchObject({ fetches_2026_11: 1, fetches_2026_12: 1 })

    await retain({ historyDays: 30 }, now + 60 * dayMs)

    expect(await partitionsOf('fetches')).not.toHaveProperty('fetches_2026_11')
    expect(await partitionsOf('fetches')).toMatchObject({ fetches_2026_12: 1 })
  })
})
