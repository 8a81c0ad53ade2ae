import type { Account } from './contestants/contestant.ts'
import type { OwnReport } from './load/own-load.ts'
import type { BillingCheck, Row } from './report/result.ts'
import { spread } from './report/spread.ts'

/** The number of 2xx responses in a report of our own load. */
export function okOf({ statuses }: OwnReport): number {
  return Object.entries(statuses).reduce((sum, [status, count]) => (status.startsWith('2') ? sum + count : sum), 0)
}

/** The rounds of our own load as one row. */
export function rowOf(name: string, reports: readonly OwnReport[]): Row {
  const over = (measure: (report: OwnReport) => number) => spread(reports.map(measure))
  return {
    name,
    measures: {
      'requests/s': over((report) => okOf(report) / report.seconds),
      'p50 ms': over((report) => report.p50Ms),
      'p99 ms': over((report) => report.p99Ms),
    },
  }
}

/**
 * Runs our own load and compares the balance before and after. The difference must equal the amount owed: the price of
 * every response unless `owed` says otherwise, and the sum of X-Credits-Charged.
 */
export async function billedRun(
  name: string,
  account: Account,
  run: () => Promise<OwnReport>,
  owed?: number,
): Promise<{ report: OwnReport; check: BillingCheck }> {
  const before = await account.balance()
  const report = await run()
  const spent = before - (await account.balance())
  const answers = okOf(report)
  const exact = spent === (owed ?? answers * account.price) && spent === report.charged
  return { report, check: { name, answers, spent, exact } }
}

/** Merges the checks of all rounds by name. One wrong round makes the whole check wrong. */
export function mergeChecks(checks: readonly BillingCheck[]): BillingCheck[] {
  return [...Map.groupBy(checks, ({ name }) => name)].map(([name, group]) => ({
    name,
    answers: group.reduce((sum, check) => sum + check.answers, 0),
    spent: group.reduce((sum, check) => sum + check.spent, 0),
    exact: group.every(({ exact }) => exact),
  }))
}
