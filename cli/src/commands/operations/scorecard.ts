import type { AdminAnswer, Score } from '@vitae/contract/admin'
import type { Command } from 'commander'
import { option } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { table, type Row } from '../../terminal/output.ts'

type Scorecard = AdminAnswer<'scoreProviders'>

const ranges = ['hour', 'day', 'week', 'month', 'quarter', 'year']

/** `vitae providers scorecard` */
export function scorecardCommand(providers: Command): void {
  plainCommand(providers, {
    command: 'scorecard',
    description: 'rate the providers: what they find, how quick, for how much, how full their records are',
    route: 'GET /providers/scorecard',
    options: [option('--range <range>', 'the time up to now', { choices: ranges, usual: 'month' })],
    text: scorecardText,
    examples: ['vitae providers scorecard --range month', 'vitae providers scorecard --range week --json'],
  })
}

const columns = 'provider kind calls found not_found thin faults p50_ms p95_ms money per_call per_usable_record filled'

function scorecardText({ since, providers, disagreements }: Scorecard): string {
  const alone = providers
    .filter((score) => score.alone.length > 0)
    .map(({ provider, kind, alone: fields }) => `Only ${provider} fills, of ${kind}: ${fields.join(', ')}`)
  const differ = disagreements.map(({ kind, providers: pair, records, fields }) => {
    const most = fields.slice(0, 10).map(({ field, compared, differ: count }) => `${field} (${count} of ${compared})`)
    return `${pair.join(' and ')} both know ${records} ${kind}; they differ in: ${most.join(', ') || 'nothing'}`
  })
  const drifted = providers.flatMap(({ provider, kind, drifted: units }) =>
    units.map(
      ({ unit, usual, now }) => `${provider} fills ${unit} of ${kind} in ${share(now)}, usually in ${share(usual)}`,
    ),
  )
  const rows = table(providers.map(rowOf), columns.split(' '), 'No provider is configured, and none was asked.')
  return [`Since ${since}`, rows, ...drifted, ...alone, ...differ].join('\n')
}

function share(rate: number): string {
  return `${Math.round(rate * 100)} %`
}

function rowOf(score: Score): Row {
  const faults = Object.entries(score.faults).map(([kind, count]) => `${count} ${kind}`)
  const rates = Object.values(score.fill_rate)
  const filled = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  const amount = (value: number | null) => (value === null ? null : `${value} ${score.money_unit}`)
  return {
    ...{ provider: score.provider, kind: score.kind, calls: score.calls, found: score.found },
    ...{ not_found: score.not_found, thin: score.thin, p50_ms: score.p50_ms, p95_ms: score.p95_ms },
    faults: faults.join(', ') || 0,
    money: amount(score.money),
    per_call: amount(score.money_per_call),
    per_usable_record: amount(score.money_per_usable_record),
    filled: rates.length === 0 ? null : `${share(filled)} of fields`,
  }
}
