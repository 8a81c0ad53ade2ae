import { type UsageOptions as ClientUsageOptions, VitaeClient, VitaeError } from '@vitae/client'
import type { Kind, RecordHistory } from '@vitae/contract'
import { readSecret } from '@vitae/service/secret'
import { Argument, type Command, Option } from 'commander'
import { findServiceUrl } from '../../admin/admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { wholeNumber } from '../../numbers.ts'
import { card, print, shown, table } from '../../terminal/output.ts'
import type { GlobalOptions } from '../../admin/with-admin.ts'

interface KeyOptions extends GlobalOptions {
  key?: string
}

interface UsageOptions extends KeyOptions {
  from?: string
  to?: string
  by: string
}

interface HistoryOptions extends KeyOptions {
  limit?: number
  before?: number
}

interface ProvenanceOptions extends KeyOptions {
  kind: Kind
}

const keyText = 'the API key (or VITAE_API_KEY)'

/** `vitae own ...`: a caller's view of its own calls, with its own key. */
export function ownCommands(program: Command): void {
  const own = program.command('own').description('what a caller sees of its own calls, with an API key')
  usageCommand(own)
  receiptCommand(own)
  historyCommand(own)
  provenanceCommand(own)
}

function usageCommand(own: Command): void {
  const command = own
    .command('usage')
    .description('calls and credits of the environment')
    .option('--key <key>', keyText)
    .option('--from <time>', 'a date or an ISO 8601 time; default: 30 days ago')
    .option('--to <time>', 'the end: a date or an ISO 8601 time; default: now')
    .option('--by <list>', 'the groups to count by: day, tag, endpoint', 'day')
    .action(
      withKey<UsageOptions, []>(async (client, { from, to, by, json }) => {
        const columns = by.split(',').map((name) => name.trim())
        const asked = {
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
          // The service refuses unknown names.
          by: columns as NonNullable<ClientUsageOptions['by']>,
        }
        const usage = await client.usage(asked)
        print(json, usage, () => {
          const total = `${usage.total.calls} calls, ${usage.total.credits} credits`
          return `${table(
            usage.rows.map((row) => ({ ...row })),
            [...columns, 'calls', 'credits'],
            'No calls in that time.',
          )}\n\n${total}`
        })
      }),
    )
  examples(command, 'vitae own usage --from 2026-11-01 --by day,tag', 'vitae own usage --key "$VITAE_API_KEY" --json')
}

function receiptCommand(own: Command): void {
  const command = own
    .command('receipt <request-id>')
    .description('what one call cost, and why')
    .option('--key <key>', keyText)
    .action(
      withKey<KeyOptions, [string]>(async (client, { json }, requestId) => {
        const receipt = await client.receipt(requestId)
        print(json, receipt, () => card(receipt))
      }),
    )
  examples(command, 'vitae own receipt 0198c0de-7a11-7000-8000-00000000beef')
}

function historyCommand(own: Command): void {
  const command = own
    .command('history')
    .description('the versions of a record that the environment paid for, and what changed')
    .addArgument(new Argument('<kind>', 'which endpoint').choices(['people', 'companies']))
    .argument('<id>', 'a slug, number or URL')
    .option('--key <key>', keyText)
    .option('--limit <n>', 'maximum number of versions', wholeNumber)
    .option('--before <version>', 'only versions older than this one', wholeNumber)
    .action(
      withKey<HistoryOptions, [Kind, string]>(async (client, { limit, before, json }, kind, id) => {
        const page = { ...(limit === undefined ? {} : { limit }), ...(before === undefined ? {} : { before }) }
        const history = await client[kind].history(id, page)
        print(json, history, () => historyTable(history))
      }),
    )
  examples(command, 'vitae own history people amara-okafor', 'vitae own history companies tidewater-robotics --json')
}

function historyTable({ versions }: RecordHistory): string {
  const rows = versions.flatMap(({ version, fetched_at, provider, changes }) => [
    { version, fetched_at, provider, change: null, before: null, after: null },
    ...changes.map(({ path, before, after }) => ({
      change: path,
      before: shown(before),
      after: shown(after),
    })),
  ])
  return table(rows, ['version', 'fetched_at', 'provider', 'change', 'before', 'after'], 'There are no versions.')
}

function provenanceCommand(own: Command): void {
  const kind = new Option('--kind <kind>', 'which endpoint').choices(['people', 'companies']).makeOptionMandatory()
  const command = own
    .command('provenance')
    .description('which provider said each unit of a record, and when')
    .argument('<id>', 'a slug, number or URL')
    .addOption(kind)
    .option('--key <key>', keyText)
    .action(
      withKey<ProvenanceOptions, [string]>(async (client, { kind, json }, id) => {
        const provenance = await client[kind].provenance(id)
        print(json, provenance, () =>
          table(
            provenance.units.map((unit) => ({ ...unit })),
            ['unit', 'provider', 'fetched_at', 'filled'],
            'The record has no units.',
          ),
        )
      }),
    )
  examples(command, 'vitae own provenance amara-okafor --kind people')
}

/** Runs a command with a client of the given key, and reports a refusal in one line. */
function withKey<Options extends KeyOptions, Args extends unknown[]>(
  run: (client: VitaeClient, options: Options, ...args: Args) => Promise<void>,
): (...received: unknown[]) => Promise<void> {
  return async (...received) => {
    // Commander passes the arguments, the options and the command, in this order.
    const command = received.at(-1) as Command
    const options = command.optsWithGlobals<Options>()
    const apiKey = options.key ?? readSecret(process.env, 'VITAE_API_KEY')
    if (!apiKey) throw new CommandError('No API key: give --key, or set VITAE_API_KEY.', { exitCode: 2 })
    const baseUrl = await findServiceUrl(options)
    try {
      await run(new VitaeClient({ apiKey, baseUrl }), options, ...(received.slice(0, -2) as Args))
    } catch (error) {
      if (error instanceof VitaeError) throw new CommandError(`${error.code}: ${error.detail}`, { cause: error })
      if (error instanceof TypeError) throw new CommandError(error.message, { exitCode: 2, cause: error })
      throw error
    }
  }
}
