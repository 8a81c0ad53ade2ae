import { usageGroups } from '@vitae/contract/admin'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sumFinishedDays } from '../../../src/lifecycle/retention/sum-days.ts'
import type { WholeStore } from '../../../src/app/store/service-store.ts'
import { creditOperations } from '../../../src/credits/operations.ts'
import type { UsageAsk, UsageGroup, UsageNames } from '../../../src/credits/reports/usage-ask.ts'
import { isEmptied, isFinal } from '../../../src/database/sql/summed-days.ts'
import { dayMs } from '../../../src/foundation/clock.ts'
import { Durations } from '../../../src/foundation/durations.ts'
import { chunkOfCalls } from '../../../src/lifecycle/store/retention/retention-chunk.ts'
import { retentionRun } from '../../../src/lifecycle/retention/retention.ts'
import { engines, onPostgres, type OpenDatabase } from '../../harness/engines.ts'
import { addEnvironment, addKey, countedUsage, storeOf, openLedger, settleAll } from '../ledger.ts'
import { charge, noon } from '../requests.ts'

const runs = process.env['VITAE_TEST_LONG'] ? (onPostgres ? 40 : 150) : 5
const firstDay = noon - (noon % dayMs)
const days = 6
const keepAll = { rawDays: null, historyDays: null, recordDays: null, unusedRecordDays: null, perProvider: {} }

function sumUpTo(store: WholeStore, now: number): Promise<{ summed: number }> {
  return sumFinishedDays({ store, clock: { now: () => now, elapsed: () => 0 } })
}

interface Figures {
  calls: number
  credits: number
  took: Durations
}

/** The rows of a report as texts. */
function rowsOf(groups: ReadonlyMap<string, Figures>): string[] {
  return [...groups]
    .map(
      ([name, { calls, credits, took }]) =>
        `${name} ${calls} ${credits} ${took.percentile(0.5)} ${took.percentile(0.95)}`,
    )
    .toSorted()
}

async function figures(database: OpenDatabase, ask: UsageAsk): Promise<string[]> {
  const counts = await countedUsage(database, ask)
  const groups = counts.map(({ calls, credits, durations, ...name }) => {
    const took = new Durations()
    took.addText(durations ?? '')
    return [
      JSON.stringify(Object.entries(name).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      { calls, credits, took },
    ] as const
  })
  return rowsOf(new Map(groups))
}

/** The same report from the calls as they were made. Removed ones count at the start of their day, if it is cut. */
function expectedFigures(made: readonly Made[], removed: ReadonlySet<string>, ask: UsageAsk): string[] {
  const { since, until, bucket, by, durations, keyId = null, tag = null } = ask
  const groups = new Map<string, Figures>()
  for (const call of made) {
    const day = call.at - (call.at % dayMs)
    const isWhole = (typeof bucket !== 'number' || bucket === dayMs) && day >= since && day + dayMs <= until
    const isMoved = removed.has(call.requestId) && !isWhole
    const at = isMoved ? day : call.at
    if (at < since || at >= until) continue
    if (ask.project !== null && call.names.project !== ask.project) continue
    if (ask.mode !== null && call.mode !== ask.mode) continue
    if (keyId !== null && call.names.keyId !== keyId) continue
    if (tag !== null && (call.names.tag ?? '') !== tag) continue
    const own: [string, unknown][] = by.flatMap((group) =>
      namesOf[group].map((name): [string, unknown] => [name, call.names[name]]),
    )
    own.push([
      'at',
      bucket === null
        ? since
        : bucket === 'month'
          ? Date.parse(new Date(at).toISOString().slice(0, 7))
          : at - (at % Number(bucket)),
    ])
    const name = JSON.stringify([...new Map(own)].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    const sum = groups.get(name) ?? { calls: 0, credits: 0, took: new Durations() }
    groups.set(name, sum)
    sum.calls += 1 + call.repeats
    sum.credits += call.credits
    if (durations && !isMoved && !(call.isLate && removed.has(call.requestId)))
      sum.took.add(stepOf(call.durationMs), 1 + call.repeats)
  }
  return rowsOf(groups)
}

const namesOf: Record<UsageGroup, (keyof UsageNames)[]> = {
  ...{ project: ['project'], environment: ['project', 'environment'], key: ['keyId'], tag: ['tag'] },
  ...{ endpoint: ['kind'], source: ['source'], status: ['status'], day: [] },
}

function stepOf(durationMs: number | null): number | null {
  const width = 10 ** Math.max(0, Math.floor(Math.log10(durationMs ?? 1)) - 1)
  return durationMs === null ? null : Math.floor(durationMs / width) * width
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
  fc.record({ do: fc.constant('prune' as const), day: fc.nat(days), isWhole: fc.boolean() }),
)

const report = fc.record({
  from: fc.noBias(fc.integer({ min: 0, max: 30 })),
  hours: fc.noBias(fc.integer({ min: 1, max: days * 24 })),
  by: fc.subarray([...usageGroups], { maxLength: 3 }),
  bucket: fc.constantFrom(null, null, 'month' as const, dayMs, dayMs, 3_600_000),
  mode: fc.constantFrom('live', 'test', null),
  onlyKey: fc.boolean(),
  tag: fc.constantFrom(null, null, '', 'spring'),
})

type Report = typeof report extends fc.Arbitrary<infer One> ? One : never

interface Owner {
  environmentId: number
  project: string
}

function askOf(owners: readonly Owner[], report: Report): UsageAsk {
  const { from, hours, by, bucket, mode, onlyKey, tag } = report
  const since = firstDay + from * 3_600_000
  const until = since + hours * 3_600_000
  const isOfKeys = by.includes('key') || by.includes('tag') || onlyKey || tag !== null
  const keyId = onlyKey ? `${owners[0]?.project}-0` : null
  const project = owners[from % 5 === 0 ? 1 : 0]?.project ?? null
  return { since, until, by, bucket, mode, keyId, tag, project, environment: null, durations: !isOfKeys }
}

/** A call as it was made. */
type Made = Omit<Call, 'kind' | 'status' | 'source' | 'tag'> & {
  requestId: string
  names: Required<UsageNames>
  /** Made after retention had emptied its day. */
  isLate: boolean
}

/** Makes calls. None falls into a day that retention is emptying: it could be counted as another one. */
async function log(
  database: OpenDatabase,
  owners: readonly Owner[],
  name: string,
  calls: readonly Call[],
): Promise<Made[]> {
  const noted = await database.db
    .selectFrom('summed_days')
    .select(['day', 'rows'])
    .where('what', '=', 'calls')
    .execute()
  const counted = new Map(noted.map(({ day, rows }) => [day, rows]))
  const rowsAt = (at: number) => counted.get(at - (at % dayMs)) ?? 0
  const open = calls.filter(({ at }) => !isFinal(rowsAt(at)) || isEmptied(rowsAt(at)))
  const made = open.map(({ key, environment, kind, status, source, tag, ...rest }, index): Made & { id: number } => {
    const { environmentId = 0, project = '' } = owners[environment] ?? {}
    const names = { project, environment: 'production', keyId: `${project}-${key}`, kind, status, source, tag } as const
    return {
      ...rest,
      key,
      environment,
      requestId: `${name}-${index}`,
      id: environmentId,
      names,
      isLate: isEmptied(rowsAt(rest.at)),
    }
  })
  const about = { identifier: null, entityId: null, versionId: null, fetchId: null, replayOf: null, code: null }
  const rows = made.map(({ requestId, at, mode, credits, durationMs, repeats, id, names }) => ({
    ...{ ...about, requestId, at, credits, durationMs, repeats, environmentId: id, mode: mode as 'live' | 'test' },
    ...{ keyId: names.keyId, kind: names.kind ?? 'people', status: names.status, source: names.source, tag: names.tag },
  }))
  await creditOperations.logCalls(database, { calls: rows as Parameters<typeof creditOperations.logCalls>[1]['calls'] })
  return made
}

/** Removes calls before noon of a day: all, after summing them, or at most five of a day that is summed. */
async function prune(database: OpenDatabase, day: number, isWhole: boolean): Promise<unknown> {
  const rules = { ...keepAll, callLogDays: 1 }
  const now = firstDay + (day + 1) * dayMs + dayMs / 2
  if (isWhole) return retentionRun(storeOf(database), { now, rules, limit: 5, actor: 'test' })
  const args = { now, rules, limit: 5, dryRun: false, dialect: database.dialect, after: 0 }
  return database.write(({ db }) => chunkOfCalls(db, args))
}

async function removedOf(database: OpenDatabase, made: readonly Made[]): Promise<Set<string>> {
  const left = new Set(
    (await database.db.selectFrom('calls').select('request_id').execute()).map((row) => row.request_id),
  )
  return new Set(made.flatMap(({ requestId }) => (left.has(requestId) ? [] : [requestId])))
}

describe.each(engines)('sums of days on $name', (engine) => {
  test(
    'equal the calls, in any window and grouping, while calls arrive late and retention removes them',
    { timeout: 600_000 + runs * 40_000 },
    async () => {
      let run = 0
      const property = fc.asyncProperty(
        fc.array(call, { minLength: 30, maxLength: 60 }),
        fc.array(step, { maxLength: 6 }),
        fc.array(report, { minLength: 5, maxLength: 8 }),
        async (calls, steps, reports) => {
          run += 1
          const database = await engine.open()
          onTestFinished(() => database.close())
          const store = storeOf(database)
          const owners: Owner[] = []
          for (const each of ['a', 'b']) {
            const project = `p${run}${each}`
            const environmentId = await addEnvironment(database, { project, environment: 'production' }, 0)
            for (const key of [0, 1]) await addKey(database, environmentId, { id: `${project}-${key}` })
            owners.push({ environmentId, project })
          }
          const made = await log(database, owners, `${run}-first`, calls)
          for (const [index, each] of steps.entries()) {
            if (each.do === 'call') made.push(...(await log(database, owners, `${run}-${index}`, each.calls)))
            else if (each.do === 'prune') await prune(database, each.day, each.isWhole)
            else await sumUpTo(store, firstDay + each.day * dayMs + 2 * 3_600_000)
          }
          // Late calls are summed by the next run.
          await sumUpTo(store, firstDay + 5 * dayMs)
          const removed = await removedOf(database, made)
          for (const each of reports) {
            const ask = askOf(owners, each)
            expect(await figures(database, ask)).toEqual(expectedFigures(made, removed, ask))
          }
          expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true, differences: [] })
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
    const ask = { since: firstDay, until: firstDay + dayMs, bucket: null, by: ['key' as const] }
    const whole = { ...ask, project: null, environment: null, mode: null }
    const before = await figures(database, whole)

    await expect(sumUpTo(storeOf(cutOff), firstDay + 3 * dayMs)).rejects.toThrow('the process died')

    expect(await database.db.selectFrom('key_days').selectAll().execute()).toEqual([])
    expect(await figures(database, whole)).toEqual(before)
    await sumUpTo(store, firstDay + 3 * dayMs)
    expect(await figures(database, whole)).toEqual(before)
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

    const whole = await store.providers.providerDays({ since: firstDay, until: firstDay + 2 * dayMs })
    const cut = await store.providers.providerDays({ since: firstDay + 1, until: firstDay + 2 * dayMs })

    const sums = { provider: 'mirror', kind: 'people', outcome: 'found', calls: 2, cost: 1.5, costed: 1, requests: 3 }
    expect(whole).toEqual({ days: [firstDay], counts: [{ ...sums, thin: null, step: null }] })
    expect(cut).toEqual({ days: [], counts: [] })
  })
})
