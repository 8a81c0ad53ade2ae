import { Option, type Command } from 'commander'
import { examples } from '../../examples.ts'
import { wholeNumber } from '../../numbers.ts'
import { plainCommand } from '../../plain-command.ts'
import { print, table } from '../../terminal/output.ts'
import { explainedCall } from './explained-call.ts'
import { withAdmin } from '../../with-admin.ts'

interface CallOptions {
  project?: string
  environment?: string
  key?: string
  kind?: string
  status?: number
  code?: string
  source?: string
  since?: string
  until?: string
  limit: number
  cursor?: string
}

const columns = [
  'at',
  'project',
  'environment',
  'kind',
  'status',
  'code',
  'source',
  'credits',
  'duration_ms',
  'request_id',
]

/** `vitae calls ...` */
export function callCommands(program: Command): void {
  const calls = program.command('calls').description('the calls that were answered')

  const list = calls
    .command('list')
    .description('list calls, newest first')
    .option('--project <name>', 'only of this project')
    .option('--environment <name>', 'only of this environment')
    .option('--key <id>', 'only with this key, by its id')
    .addOption(new Option('--kind <kind>', 'only of this endpoint').choices(['people', 'companies']))
    .option('--status <status>', 'only with this HTTP status', wholeNumber)
    .option('--code <code>', 'only with this failure code')
    .addOption(new Option('--source <source>', 'only from there').choices(['live', 'store', 'stale_fallback']))
    .option('--since <time>', 'a date, an ISO 8601 time, or how long ago, such as 24h')
    .option('--until <time>', 'the same, for the end')
    .option('--limit <n>', 'how many', wholeNumber, 100)
    .option('--cursor <cursor>', 'from where the last page ended')
    .action(
      withAdmin<CallOptions, []>(async ({ admin, options, json }) => {
        const { project, environment, key, kind, status, code, source, since, until, limit, cursor } = options
        const query = { project, environment, key_id: key, kind, status, code, source, since, until, limit, cursor }
        const page = await admin.ask('GET /calls', { query })
        const none =
          page.next_cursor === null ? 'No calls fit.' : `None so far: go on with --cursor ${page.next_cursor}`
        print(json, page, () => table(page.calls, columns, none))
      }),
    )
  examples(
    list,
    'vitae calls list --project acme --since 24h',
    'vitae calls list --status 404 --kind people --json',
    'vitae calls list --source stale_fallback --since 2026-11-01',
  )

  plainCommand(calls, {
    command: 'show <request-id>',
    description: 'why one call ended as it did: what was asked for, what each provider did, credits, times',
    route: 'GET /calls/:request_id',
    text: explainedCall,
    examples: [
      'vitae calls show 0198c0de-7a11-7000-8000-00000000beef',
      'vitae calls show 0198c0de-7a11-7000-8000-00000000beef --json',
    ],
  })
}
