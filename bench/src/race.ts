import type { Contestant } from './contestants/contestant.ts'
import type { Bench } from './bench.ts'
import type { LoadReport } from './load/load.ts'
import { cpuSeconds } from './process/process-cost.ts'
import type { BillingCheck, Ratio, Row } from './report/result.ts'
import { spread, type Spread } from './report/spread.ts'

export const connections = 64

/** One measured variant: the contestant, with its keys and identifiers. */
export interface Runner {
  name: string
  contestant: Contestant
  ids: number
  keys?: string[]
}

export interface Race {
  rows: Row[]
  billing: BillingCheck[]
  notes: string[]
  /** The ratio of two runners, round by round; empty if one of them is missing. */
  ratio: (of: string, to: string, measure?: string) => Ratio[]
  /** By how much one runner exceeds another, round by round; null if one of them is missing. */
  above: (of: string, to: string, measure: string) => Spread | null
}

interface Round {
  measures: Record<string, number>
  ok: number
  spent: number | null
}

export const rps = 'requests/s'
export const p50 = 'p50 ms'
export const p99 = 'p99 ms'
export const cpu = 'CPU µs/call'

/**
 * Warms up all runners, then runs them in turn, round after round, so that a slow minute of the machine affects all of
 * them.
 */
export async function race(bench: Bench, runners: readonly Runner[]): Promise<Race> {
  const { rounds, seconds } = bench.options
  const notes = new Set<string>()
  for (const runner of runners) await runRound(bench, runner, Math.max(1, Math.ceil(seconds / 4)), notes)
  const done = new Map<string, Round[]>(runners.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const runner of runners) {
      const result = await runRound(bench, runner, seconds, notes)
      done.get(runner.name)?.push(result)
      bench.say(`  round ${round} ${runner.name}: ${Math.round(result.measures[rps] ?? 0)} requests/s`)
    }
  }
  const values = (name: string, measure: string) =>
    (done.get(name) ?? []).map((round) => round.measures[measure] ?? NaN)
  return {
    rows: runners.map(({ name }) => ({ name, measures: measuresOf(done.get(name) ?? []) })),
    billing: runners.flatMap((runner) => checkBilling(runner, done.get(runner.name) ?? [])),
    notes: [...notes],
    ratio: (of, to, measure = rps) => {
      const [above, below] = [values(of, measure), values(to, measure)]
      if (above.length === 0 || below.length === 0) return []
      return [{ of, to, measure, value: spread(above.map((value, round) => value / (below[round] ?? NaN))) }]
    },
    above: (of, to, measure) => {
      const [more, less] = [values(of, measure), values(to, measure)]
      if (more.length === 0 || less.length === 0) return null
      return spread(more.map((value, round) => value - (less[round] ?? NaN)))
    },
  }
}

async function runRound(bench: Bench, runner: Runner, seconds: number, notes: Set<string>): Promise<Round> {
  const { contestant, ids, keys = contestant.keys } = runner
  const before = await contestant.account?.balance()
  const cpuBefore = cpuSeconds(contestant.pids)
  const report = await bench.load.run({ url: contestant.url, keys, ids, connections, seconds })
  const cpuAfter = cpuSeconds(contestant.pids)
  const after = await contestant.account?.balance()
  noteTrouble(runner.name, report, notes)
  const perCall = cpuBefore === null || cpuAfter === null ? null : ((cpuAfter - cpuBefore) / report.ok) * 1e6
  return {
    measures: {
      [rps]: report.requestsPerSecond,
      [p50]: report.p50Ms,
      [p99]: report.p99Ms,
      ...(perCall === null ? {} : { [cpu]: perCall }),
    },
    ok: report.ok,
    spent: before === undefined || after === undefined ? null : before - after,
  }
}

function noteTrouble(name: string, report: LoadReport, notes: Set<string>): void {
  if (report.notOk > 0) notes.add(`${name}: answers other than 2xx, or none at all, were not counted`)
  if (report.busy !== null && report.busy > 0.95)
    notes.add(`${name}: the load generator used its whole core, so this server may be faster than shown`)
}

function measuresOf(rounds: readonly Round[]): Row['measures'] {
  const names = Object.keys(rounds[0]?.measures ?? {})
  return Object.fromEntries(names.map((name) => [name, spread(rounds.map((round) => round.measures[name] ?? NaN))]))
}

/** Billing is exact if the balance fell by the price of every response, in every round. */
function checkBilling({ name, contestant: { account } }: Runner, rounds: readonly Round[]): BillingCheck[] {
  if (!account) return []
  const answers = rounds.reduce((sum, round) => sum + round.ok, 0)
  const spent = rounds.reduce((sum, round) => sum + (round.spent ?? 0), 0)
  return [{ name, answers, spent, exact: rounds.every((round) => round.spent === round.ok * account.price) }]
}
