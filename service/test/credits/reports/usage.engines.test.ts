import { usageGroups } from '@vitae/contract/admin'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { UsageAsk, UsageCount, UsageGroup } from '../../../src/credits/reports/usage-ask.ts'
import type { SettleRequest } from '../../../src/credits/decision/settlement-requests.ts'
import { retentionRun } from '../../../src/lifecycle/retention/retention.ts'
import { sumDays } from '../../../src/lifecycle/retention/sum-days.ts'
import { engines, type OpenDatabase } from '../../harness/engines.ts'
import { addEnvironment, addKey, countedUsage, storeOf, settleAll } from '../ledger.ts'
import { capture, charge, hold, minute, noon } from '../requests.ts'

const day = 24 * 60 * minute
const runs = process.env['VITAE_TEST_LONG'] ? 300 : 15
const keepAll = { rawDays: null, historyDays: null, recordDays: null, unusedRecordDays: null, perProvider: {} }

interface Paid {
  price: number
  onDay: number
  key: number
  isFetch: boolean
  kind: 'people' | 'companies'
  tag: string | null
}

const payments: fc.Arbitrary<Paid[]> = fc.array(
  fc.record({
    price: fc.nat(4),
    onDay: fc.nat(5),
    key: fc.nat(1),
    isFetch: fc.boolean(),
    kind: fc.constantFrom('people', 'companies'),
    tag: fc.constantFrom(null, null, 'spring', 'autumn'),
  }),
  { maxLength: 25 },
)

async function pay(
  database: OpenDatabase,
  { environmentId, project }: { environmentId: number; project: string },
  name: string,
  list: readonly Paid[],
): Promise<void> {
  const requests = list.flatMap(({ price, onDay, key, isFetch, kind, tag }, index): SettleRequest[] => {
    const step = { environmentId, keyId: `${project}-${key}`, at: noon + onDay * day }
    const id = `${project}-${name}-${index}`
    const call = { source: 'store', identifier: null, entityId: 5, versionId: 7, fetchId: null, durationMs: 1 } as const
    const paid = {
      ...step,
      price,
      call: { ...call, source: isFetch ? 'live' : 'store', kind, tag, price: null } as const,
    }
    return isFetch ? [hold(id, { ...step, amount: 4 }), capture(id, paid)] : [charge(id, paid)]
  })
  await settleAll(database, requests)
}

function prune(database: OpenDatabase, now: number): Promise<unknown> {
  const rules = { ...keepAll, callLogDays: 1 }
  return retentionRun(storeOf(database), { now, rules, limit: 1_000, actor: 'test' })
}

async function usage(database: OpenDatabase, project: string, by: UsageGroup[]): Promise<UsageCount[]> {
  const ask: UsageAsk = {
    since: 0,
    until: noon + 99 * day,
    bucket: day,
    by,
    project,
    environment: null,
    mode: 'live',
  }
  return countedUsage(database, ask)
}

async function ledgerOf({ db }: OpenDatabase, environmentId: number) {
  return db
    .selectFrom('ledger_entries')
    .select(['amount', 'key_id', 'at'])
    .where('account_id', '=', environmentId)
    .where('kind', 'in', ['charge', 'capture'])
    .execute()
}

const dayOf = (at: number) => Math.floor(at / day)
const total = (amounts: number[]) => amounts.reduce((sum, amount) => sum + amount, 0)
const credits = (counts: UsageCount[]) => total(counts.map((count) => count.credits))

describe.each(engines)('usage on $name', (engine) => {
  test(
    'adds up to the ledger in any grouping, before and after retention',
    { timeout: 600_000 + runs * 4_000 },
    async () => {
      const database = await engine.open()
      onTestFinished(() => database.close())
      let run = 0
      const groups = fc.subarray([...usageGroups])
      const property = fc.asyncProperty(payments, payments, groups, fc.nat(7), async (first, second, by, days) => {
        const project = `p${(run += 1)}`
        const environmentId = await addEnvironment(database, { project, environment: 'production' }, 1_000)
        for (const key of [0, 1]) await addKey(database, environmentId, { id: `${project}-${key}` })
        const environment = { environmentId, project }
        await pay(database, environment, 'before', first)
        await prune(database, noon + days * day)
        await pay(database, environment, 'after', second)
        if (days % 2) await prune(database, noon + (days + 1) * day)

        // Late calls are summed by the next run.
        await sumDays(storeOf(database), 'calls', { from: 0, until: noon + 99 * day, now: noon })

        const entered = await ledgerOf(database, environmentId)
        const counts = await usage(database, project, by)
        const byKey = await usage(database, project, [...by, 'key'])
        expect(credits(counts)).toBe(total(entered.map(({ amount }) => amount)))
        expect(total(counts.map(({ calls }) => calls))).toBe(entered.length)
        const [some] = entered
        if (!some) return
        const isSame = (keyId: string | null | undefined, at: number) =>
          keyId === some.key_id && dayOf(at) === dayOf(some.at)
        const same = entered.filter((entry) => isSame(entry.key_id, entry.at))
        expect(credits(byKey.filter(({ keyId, at }) => isSame(keyId, at)))).toBe(
          total(same.map(({ amount }) => amount)),
        )
      })
      await fc.assert(property, { numRuns: runs })
    },
  )
})
