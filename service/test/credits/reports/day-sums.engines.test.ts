import { usageGroups } from '@vitae/contract/admin'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sumFinishedDays } from '../../../src/app/jobs/sum-days.ts'
import { creditOperations } from '../../../src/credits/operations.ts'
import {
  countUsage,
  type UsageAsk,
  type UsageCount,
  type UsageNames,
  type UsageState,
} from '../../../src/credits/reports/usage-counts.ts'
import { dayMs } from '../../../src/foundation/clock.ts'
import { Durations } from '../../../src/foundation/durations.ts'
import { chunkOfCalls } from '../../../src/lifecycle/retention/retention-chunk.ts'
import { providerOperations } from '../../../src/providers/operations.ts'
import { engines, onPostgres, type OpenDatabase } from '../../harness/engines.ts'
import { addEnvironment, addKey, openLedger, settleAll } from '../ledger.ts'
import { charge, noon } from '../requests.ts'

/** Each run reads everything that all earlier ones wrote, so twice as many take four times as long. */
const runs = process.env['VITAE_TEST_LONG'] ? (onPostgres ? 40 : 150) : 5
const firstDay = noon - (noon % dayMs)
const days = 6
const keepAll = { rawDays: null, historyDays: null, recordDays: null, unusedRecordDays: null, perProvider: {} }

/** The operations that reports and the job use, on an open database. */
function storeOf(database: OpenDatabase) {
  const { usageSlice, usageDays, usageSums, usageState, sumDay, dayToSum, forgetSums } = creditOperations
  return {
    usageSlice: (ask: UsageAsk) => usageSlice(database, { ...ask, rows: 12 }),
    usageDays: (ask: UsageAsk) => usageDays(database, { ...ask, rows: 12 }),
    usageSums: (ask: UsageAsk) => usageSums(database, ask),
    usageState: (ask: UsageAsk) => usageState(database, ask),
    sumDay: (args: { day: number; now: number }) => sumDay(database, args),
    dayToSum: (args: { what: 'calls' | 'fetches'; before: number }) => dayToSum(database, args),
    forgetSums: (args: { from: number }) => forgetSums(database, args),
    sumProviderDay: (args: { day: number; now: number }) => providerOperations.sumProviderDay(database, args),
    providerDays: (args: { since: number; until: number }) => providerOperations.providerDays(database, args),
  }
}
type TestStore = ReturnType<typeof storeOf>

function sumUpTo(store: TestStore, now: number): Promise<{ summed: number }> {
  return sumFinishedDays({ store, clock: { now: () => now, elapsed: () => 0 } })
}

/** The same report from calls alone. */
const withoutSums = (store: TestStore): TestStore => ({
  ...store,
  usageState: async (ask): Promise<UsageState> => ({ ...(await store.usageState(ask)), days: [] }),
})

async function figures(store: TestStore, ask: UsageAsk): Promise<string[]> {
  const sums = await countUsage(store, ask, async (counts: AsyncIterable<UsageCount>) => {
    const rows = new Map<string, { calls: number; credits: number; took: Durations }>()
    for await (const { calls, credits, durationStep, durations, ...name } of counts) {
      const key = JSON.stringify(Object.entries(name).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      const row = rows.get(key) ?? { calls: 0, credits: 0, took: new Durations() }
      rows.set(key, row)
      row.calls += calls
      row.credits += credits
      if (durations) row.took.addText(durations)
      else row.took.add(durationStep, calls)
    }
    return rows
  })
  return [...sums]
    .map(
      ([name, { calls, credits, took }]) =>
        `${name} ${calls} ${credits} ${took.percentile(0.5)} ${took.percentile(0.95)}`,
    )
    .toSorted()
}

const call = fc.record({
  at: fc.noBias(fc.integer({ min: firstDay, max: firstDay + days * dayMs - 1 })),
  key: fc.nat(1),
  // Many equal values, so that sums cover more than one call.
  environment: fc.constantFrom(0, 0, 0, 1),
  mode: fc.constantFrom('live', 'live', 'live', 'test'),
  kind: fc.constantFrom('people', 'people', 'people', 'companies'),
  status: fc.constantFrom(200, 200, 200, 404),
  source: fc.constantFrom('store', 'store', 'live', null),
  tag: fc.constantFrom(null, null, 'spring'),
  credits: fc.nat(5),
  durationMs: fc.constantFrom(null, 1, 40, 250, 12_000),
  repeats: fc.constantFrom(0, 0, 7),
})
type Call = typeof call extends fc.Arbitrary<infer One> ? One : never

const step = fc.oneof(
  fc.record({ do: fc.constant('call' as const), calls: fc.array(call, { minLength: 5, maxLength: 40 }) }),
  fc.record({ do: fc.constant('sum' as const), day: fc.nat(days + 1) }),
  fc.record({ do: fc.constant('prune' as const), day: fc.nat(days) }),
)

const report = fc.record({
  from: fc.noBias(fc.integer({ min: 0, max: 30 })),
  hours: fc.noBias(fc.integer({ min: 1, max: days * 24 })),
  by: fc.subarray([...usageGroups], { maxLength: 3 }),
  bucketMs: fc.constantFrom(null, null, dayMs, dayMs, 3_600_000),
  mode: fc.constantFrom('live', 'test', null),
  onlyKey: fc.boolean(),
  tag: fc.constantFrom(null, null, '', 'spring'),
  places: fc.constantFrom<UsageNames[] | null>(
    null,
    null,
    [{ tag: 'spring' }, { tag: null }],
    [{ status: 404, kind: 'people' }],
  ),
})

type Report = typeof report extends fc.Arbitrary<infer One> ? One : never

interface Owner {
  environmentId: number
  project: string
}

function askOf(owners: readonly Owner[], report: Report): UsageAsk {
  const { from, hours, by, bucketMs, mode, onlyKey, tag, places } = report
  const since = firstDay + from * 3_600_000
  const until = since + hours * 3_600_000
  const isOfKeys = by.includes('key') || by.includes('tag') || onlyKey || tag !== null || places !== null
  const keyId = onlyKey ? `${owners[0]?.project}-0` : null
  const project = owners[from % 5 === 0 ? 1 : 0]?.project ?? null
  const ask = { since, until, by, bucketMs, mode, keyId, tag, project, environment: null, durations: !isOfKeys }
  return places === null ? ask : { ...ask, places }
}

async function log(database: OpenDatabase, owners: readonly Owner[], name: string, calls: readonly Call[]) {
  const rows = calls.map(({ key, environment, durationMs, kind, source, mode, ...rest }, index) => {
    const { environmentId = 0, project = '' } = owners[environment] ?? {}
    const about = { identifier: null, entityId: null, versionId: null, fetchId: null, replayOf: null }
    const facts = { kind, source, mode } as const
    return {
      ...rest,
      ...facts,
      ...about,
      durationMs,
      requestId: `${name}-${index}`,
      keyId: `${project}-${key}`,
      environmentId,
    }
  })
  await creditOperations.logCalls(database, { calls: rows })
}

function prune(database: OpenDatabase, day: number): Promise<unknown> {
  const rules = { ...keepAll, callLogDays: 1 }
  const now = firstDay + (day + 1) * dayMs + dayMs / 2
  const args = { now, rules, limit: 5, dryRun: false, dialect: database.dialect, after: 0 }
  return database.write(({ db }) => chunkOfCalls(db, args))
}

describe.each(engines)('sums of days on $name', (engine) => {
  test(
    'equal the calls, in any window and grouping, while calls arrive late and retention removes them',
    { timeout: 60_000 + runs * 40_000 },
    async () => {
      const database = await engine.open()
      onTestFinished(() => database.close())
      const store = storeOf(database)
      let run = 0
      const property = fc.asyncProperty(
        fc.array(call, { minLength: 30, maxLength: 60 }),
        fc.array(step, { maxLength: 6 }),
        fc.array(report, { minLength: 5, maxLength: 8 }),
        async (calls, steps, reports) => {
          run += 1
          const owners: Owner[] = []
          for (const each of ['a', 'b']) {
            const project = `p${run}${each}`
            const environmentId = await addEnvironment(database, { project, environment: 'production' }, 0)
            for (const key of [0, 1]) await addKey(database, environmentId, { id: `${project}-${key}` })
            owners.push({ environmentId, project })
          }
          await log(database, owners, `${run}-first`, calls)
          for (const [index, each] of steps.entries()) {
            if (each.do === 'call') await log(database, owners, `${run}-${index}`, each.calls)
            else if (each.do === 'prune') await prune(database, each.day)
            else await sumUpTo(store, firstDay + each.day * dayMs + 2 * 3_600_000)
          }
          // Late calls are summed by the next run.
          await sumUpTo(store, firstDay + 5 * dayMs)
          for (const each of reports) {
            const ask = askOf(owners, each)
            expect(await figures(store, ask)).toEqual(await figures(withoutSums(store), ask))
          }
        },
      )
      await fc.assert(property, { numRuns: runs })
    },
  )

  test('cover days that ended an hour ago, are written once, and a clock that was ahead leaves none behind', async () => {
    const { database, environmentId } = await openLedger(engine, 100)
    const store = storeOf(database)
    await settleAll(database, [
      charge('r1', { environmentId, price: 1, at: firstDay + 5 }),
      charge('r2', { environmentId, price: 2, at: firstDay + dayMs + 5 }),
    ])
    const summed = () => database.db.selectFrom('summed_days').select('day').orderBy('day').execute()

    expect(await sumUpTo(store, firstDay + dayMs + 3_599_999)).toEqual({ summed: 0 })
    expect(await sumUpTo(store, firstDay + dayMs + 3_600_000)).toEqual({ summed: 1 })
    expect(await sumUpTo(store, firstDay + 30 * dayMs)).toEqual({ summed: 1 })
    expect(await sumUpTo(store, firstDay + 30 * dayMs)).toEqual({ summed: 0 })
    expect(await summed()).toEqual([{ day: firstDay }, { day: firstDay + dayMs }])
    await sumUpTo(store, firstDay + dayMs + 3_600_000)
    expect(await summed()).toEqual([{ day: firstDay }])
  })

  test('that are interrupted leave the report unchanged', async () => {
    const { database, environmentId } = await openLedger(engine, 100)
    const store = storeOf(database)
    await settleAll(database, [charge('r1', { environmentId, price: 3, at: firstDay + 5 })])
    const cutOff: OpenDatabase = {
      ...database,
      write: (work) =>
        database.write(async (connection) => {
          await work(connection)
          throw new Error('the process died')
        }),
    }
    const ask = { since: firstDay, until: firstDay + dayMs, bucketMs: null, by: ['key' as const] }
    const whole = { ...ask, project: null, environment: null, mode: null }
    const before = await figures(store, whole)

    await expect(sumUpTo(storeOf(cutOff), firstDay + 3 * dayMs)).rejects.toThrow('the process died')

    expect(await database.db.selectFrom('key_days').selectAll().execute()).toEqual([])
    expect(await figures(store, whole)).toEqual(before)
    await sumUpTo(store, firstDay + 3 * dayMs)
    expect(await figures(store, whole)).toEqual(before)
    expect(before).toHaveLength(1)
  })

  test('are checked by the ledger verification: a sum that is off by one credit is reported with its day', async () => {
    const { database, environmentId } = await openLedger(engine, 100)
    await settleAll(database, [charge('r1', { environmentId, price: 3, at: firstDay + 5 })])
    await sumUpTo(storeOf(database), firstDay + 3 * dayMs)
    const sound = await creditOperations.verifyLedger(database)
    await database.db.updateTable('key_days').set({ credits: 4 }).execute()

    const broken = await creditOperations.verifyLedger(database)

    expect(sound).toMatchObject({ ok: true, differences: [] })
    expect(broken.differences).toEqual([
      {
        what: `credits of ${new Date(firstDay).toISOString().slice(0, 10)} in the sums by keys`,
        expected: 3,
        actual: 4,
      },
    ])
  })

  test('keep provider figures that retention or an erasure removes after the day', async () => {
    const { database } = await openLedger(engine, 0)
    const fetch = { provider: 'mirror', kind: 'people' as const, identifier: null, status: 200, payload_hash: null }
    const facts = { ...fetch, entity_id: null, redacted: 0, duration_ms: 5, at: firstDay + 5 }
    await database.db
      .insertInto('fetches')
      .values([
        { ...facts, outcome: 'found', cost: 1.5, requests: 2 },
        { ...facts, outcome: 'found', cost: null },
        { ...facts, outcome: 'imported', cost: null },
      ])
      .execute()
    const store = storeOf(database)
    await sumUpTo(store, firstDay + 3 * dayMs)
    await database.db.deleteFrom('fetches').execute()

    const whole = await store.providerDays({ since: firstDay, until: firstDay + 2 * dayMs })
    const cut = await store.providerDays({ since: firstDay + 1, until: firstDay + 2 * dayMs })

    const sums = { provider: 'mirror', kind: 'people', outcome: 'found', calls: 2, cost: 1.5, costed: 1, requests: 3 }
    expect(whole).toEqual({ days: [firstDay], counts: [{ ...sums, thin: null, step: null }] })
    expect(cut).toEqual({ days: [], counts: [] })
  })
})
