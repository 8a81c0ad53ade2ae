import type { OwnReport } from '../load/own-load.ts'
import { okOf, rowOf } from '../own-runs.ts'
import type { Ratio, Row, Verdict } from '../report/result.ts'
import { spread } from '../report/spread.ts'
import { atMost } from './scenario.ts'

/** One tenant's calls, alone and during another tenant's activity. */
interface Round {
  alone: OwnReport
  beside: OwnReport
}

/** The slowdown of the calls during the other's activity, and the number of refused ones. */
export function aloneAndBeside(
  rounds: readonly Round[],
  { alone, beside, disturbance }: { alone: string; beside: string; disturbance: string },
): { rows: Row[]; ratios: Ratio[]; verdicts: Verdict[] } {
  const ratioOf = (measure: (report: OwnReport) => number, name: string): Ratio[] => [
    { of: beside, to: alone, measure: name, value: spread(rounds.map((r) => measure(r.beside) / measure(r.alone))) },
  ]
  const [p50, p99] = [ratioOf((report) => report.p50Ms, 'p50 ms'), ratioOf((report) => report.p99Ms, 'p99 ms')]
  const [quiet, disturbed] = [rounds.map((round) => round.alone), rounds.map((round) => round.beside)]
  const refused = disturbed.reduce((sum, report) => sum + answersIn(report) - okOf(report), 0)
  return {
    rows: [rowOf(alone, quiet), rowOf(beside, disturbed)],
    ratios: [...p50, ...p99],
    verdicts: [
      ...atMost(`p50 beside ${disturbance}, against alone`, 1.3, p50),
      ...atMost(`p99 beside ${disturbance}, against alone`, 2, p99),
      { claim: `hits refused beside ${disturbance}`, wanted: 'none', got: String(refused), met: refused === 0 },
    ],
  }
}

/** The chosen disturbances, or all if none is chosen. */
export function chosenOf<T>(names: readonly string[], all: Record<string, T>): [string, T][] {
  const unknown = names.filter((name) => !(name in all))
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')} among ${Object.keys(all).join(', ')}`)
  return Object.entries(all).filter(([name]) => names.length === 0 || names.includes(name))
}

function answersIn({ statuses }: OwnReport): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, 0)
}
