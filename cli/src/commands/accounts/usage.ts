import type { UsageRow } from '@vitae/contract/admin'
import { Option, type Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { barChart } from '../../terminal/bar-chart.ts'
import { examples } from '../../examples.ts'
import { option } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { card, counted, print, table } from '../../terminal/output.ts'
import { queryText } from '../../admin/query-text.ts'
import { withAdmin } from '../../admin/with-admin.ts'

interface UsageOptions {
  by?: string
  per: 'hour' | 'day' | 'month'
  since?: string
  until?: string
  asOf?: string
  project?: string
  environment?: string
  mode: string
  csv: boolean
}

const shownLength = { hour: 16, day: 10, month: 7 } as const
const figures = new Set(['period', 'calls', 'credits', 'p50_ms', 'p95_ms'])

/** `vitae usage` and `vitae overview` */
export function usageCommands(program: Command): void {
  const usage = program
    .command('usage')
    .description('calls and credits per period, drawn as bars on a terminal')
    .option('--by <list>', 'the groups to count by: project, environment, key, tag, endpoint, source, status, day')
    .addOption(new Option('--group <list>').hideHelp().argParser(renamedGroup))
    .addOption(new Option('--per <period>', 'length of a period').choices(['hour', 'day', 'month']).default('day'))
    .option('--since <time>', 'a date, an ISO 8601 time, or how long ago, such as 7d')
    .option('--until <time>', 'the end, in the same form as --since')
    .option('--as-of <time>', 'count only calls answered up to this time, for a repeatable result')
    .option('--project <name>', 'only this project')
    .option('--environment <name>', 'only this environment')
    .addOption(
      new Option('--mode <mode>', 'count calls of live keys, test keys or all')
        .choices(['live', 'test', 'all'])
        .default('live'),
    )
    .option('--csv', 'print CSV', false)
    .action(
      withAdmin<UsageOptions, []>(async ({ admin, options, json }) => {
        const { by, per, since, until, asOf, project, environment, mode, csv } = options
        const query = { group: by, per, since, until, as_of: asOf, project, environment, mode }
        if (csv) {
          const path = `/admin/v1/usage${queryText({ ...query, format: 'csv' })}`
          process.stdout.write(await admin.bytes('GET', path))
          return
        }
        const read = (cursor?: string) => admin.ask('GET /usage', { query: { ...query, cursor } })
        let page = await read()
        const usage = { as_of: page.as_of, rows: page.rows }
        while (page.next_cursor !== null) {
          page = await read(page.next_cursor)
          usage.rows.push(...page.rows)
        }
        print(json, usage, () => chart(usage.rows, per))
      }),
    )
  examples(
    usage,
    'vitae usage --since 7d',
    'vitae usage --by project,source --per month',
    'vitae usage --by key --csv > usage.csv',
    'vitae usage --by tag --since 30d',
    'vitae usage --by project,key --per month --since 2026-10-01 --until 2026-11-01 --csv > october.csv',
  )
  overviewCommand(program)
}

function renamedGroup(): never {
  throw new CommandError('--group is now --by.', { exitCode: 2 })
}

function chart(rows: readonly UsageRow[], per: UsageOptions['per']): string {
  return barChart(
    rows.map((row) => ({
      label: [row.period.slice(0, shownLength[per]).replace('T', ' '), ...groupOf(row)].join('  '),
      value: row.calls,
      note: `${counted(row.calls, 'call')}, ${counted(row.credits, 'credit')}`,
    })),
    'No calls in that time.',
  )
}

function groupOf(row: UsageRow): string[] {
  return Object.entries(row)
    .filter(([name]) => !figures.has(name))
    .map(([, value]) => String(value ?? '-'))
}

function overviewCommand(program: Command): void {
  plainCommand(program, {
    command: 'overview',
    description: 'traffic, spending and providers at a glance',
    route: 'GET /overview',
    options: [option('--range <range>', 'how far back', { choices: ['hour', 'day', 'week', 'month'], usual: 'day' })],
    text: ({ totals, environments, providers }) => {
      const asked = providers.filter((provider) => provider.in_chain)
      return [
        card(totals),
        table(
          environments,
          ['project', 'environment', 'available', 'burnt', 'per_day', 'days_left'],
          'There are no environments yet.',
        ),
        table(
          asked.map((provider) => ({ ...provider, ...provider.recent })),
          ['name', 'breaker', 'paused', 'calls', 'failures', 'p50_ms'],
          'No provider is in the chain.',
        ),
      ].join('\n\n')
    },
    examples: ['vitae overview', 'vitae overview --range month --json'],
  })
}
