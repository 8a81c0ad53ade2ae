import type { OperatorStatement } from '@vitae/contract'
import type { Command } from 'commander'
import { examples } from '../../examples.ts'
import { queryText } from '../../admin/query-text.ts'
import { card, print, table } from '../../terminal/output.ts'
import { withAdmin } from '../../admin/with-admin.ts'

interface StatementOptions {
  project: string
  environment?: string
  month?: string
  csv: boolean
  html: boolean
}

/** `vitae statement` */
export function statementCommand(program: Command): void {
  const command = program
    .command('statement')
    .description('what a project had, got, spent and cost in a month')
    .requiredOption('--project <name>', 'the project')
    .option('--environment <name>', 'one environment; default: all of the project')
    .option('--month <month>', 'a UTC month such as 2026-10; default: the current one')
    .option('--csv', 'print CSV', false)
    .option('--html', 'write an HTML page to print or to forward', false)
    .action(
      withAdmin<StatementOptions, []>(async ({ admin, options, json }) => {
        const { project, environment, month, csv, html } = options
        const path = (format?: string) => `/admin/v1/statement${queryText({ project, environment, month, format })}`
        if (csv || html) {
          process.stdout.write(await admin.bytes('GET', path(csv ? 'csv' : 'html')))
          return
        }
        const statement = await admin.json<OperatorStatement>('GET', path())
        print(json, statement, () => shown(statement))
      }),
    )
  examples(
    command,
    'vitae statement --project acme --month 2026-10',
    'vitae statement --project acme --environment production --month 2026-10 --csv > october.csv',
    'vitae statement --project acme --month 2026-10 --html > october.html',
  )
}

function shown({ lines, provider_cost: cost, value, digest, ...rest }: OperatorStatement): string {
  const { in_progress: isOpen, ...figures } = rest
  const worth = value && `${value.charged} ${value.currency}, ${value.credit} per credit`
  const providers = cost.by_provider.map((each) => `${each.provider} ${each.cost}`).join(', ')
  const facts = card({
    ...figures,
    environment: rest.environment ?? 'all',
    state: isOpen ? 'in progress' : 'closed',
    digest,
    'charged is worth': worth,
    'providers cost': `${cost.total} ${cost.currency}${providers ? ` (${providers})` : ''}`,
  })
  const columns = ['price_line', 'endpoint', 'source', 'spend_tag', 'calls', 'credits']
  return `${facts}\n\n${table(
    lines.map((line) => ({ ...line })),
    columns,
    'Nothing was charged.',
  )}`
}
