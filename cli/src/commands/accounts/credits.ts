import { Option, type Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { numberOrNull, signedNumber, wholeNumber, wholeNumberOr } from '../../numbers.ts'
import { card, print, table } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'

/** What the options of `withEnvironment` give. */
export interface EnvironmentName {
  project: string
  environment: string
}

interface HistoryOptions extends EnvironmentName {
  kind?: string
  since?: string
  until?: string
  limit: number
  cursor?: string
}

/** `vitae credits ...`, `vitae ledger ...`, `vitae receipts ...` */
export function creditCommands(program: Command): void {
  const credits = program.command('credits').description('credits of an environment')

  withEnvironment(credits.command('grant'))
    .description('grant credits')
    .requiredOption('--amount <n>', 'how many', wholeNumber)
    .option('--reason <text>', 'why, for the audit log')
    .addHelpText('after', '\nExamples:\n  $ vitae credits grant --project acme --environment production --amount 5000')
    .action(change('POST /credits/grants'))
  withEnvironment(credits.command('adjust'))
    .description('correct a balance by a signed amount')
    .requiredOption('--amount <n>', 'how many, negative to take away', signedNumber)
    .option('--reason <text>', 'why, for the audit log')
    .addHelpText(
      'after',
      '\nExamples:\n  $ vitae credits adjust --project acme --environment production --amount=-20 --reason "double grant"',
    )
    .action(change('POST /credits/adjustments'))
  withEnvironment(credits.command('budget'))
    .description('limit what all keys of an environment may spend together in a UTC month')
    .requiredOption('--monthly <n|none>', 'credits per month; none takes the limit away', wholeNumberOr('none'))
    .option('--reason <text>', 'why, for the audit log')
    .addHelpText(
      'after',
      '\nExamples:\n  $ vitae credits budget --project acme --environment production --monthly 20000\n  $ vitae credits budget --project acme --environment production --monthly none',
    )
    .action(
      withAdmin<EnvironmentName & { monthly: number | 'none'; reason?: string }, []>(
        async ({ admin, options, json }) => {
          const { project, environment, monthly, reason } = options
          const body = { project, environment, monthly: numberOrNull(monthly), ...(reason ? { reason } : {}) }
          const balance = await admin.ask('POST /credits/budgets', { body })
          print(json, balance, () => card(balance))
        },
      ),
    )
  withEnvironment(credits.command('recurring'))
    .description('grant credits on the 1st of each UTC month')
    .requiredOption('--monthly <n|none>', 'credits per month; none ends it', wholeNumberOr('none'))
    .option('--carry-over', 'what is not spent stays for the next month', false)
    .option('--reason <text>', 'why, for the audit log')
    .addHelpText(
      'after',
      '\nExamples:\n  $ vitae credits recurring --project acme --environment production --monthly 5000\n  $ vitae credits recurring --project acme --environment production --monthly none',
    )
    .action(
      withAdmin<EnvironmentName & { monthly: number | 'none'; carryOver: boolean; reason?: string }, []>(
        async ({ admin, options, json }) => {
          const { project, environment, monthly, reason, carryOver } = options
          const given = { monthly: numberOrNull(monthly), carry_over: carryOver }
          const body = { project, environment, ...given, ...(reason ? { reason } : {}) }
          const balance = await admin.ask('POST /credits/recurring', { body })
          print(json, balance, () => card(balance))
        },
      ),
    )
  withEnvironment(credits.command('balance'))
    .description('what an environment has, holds and can spend')
    .addHelpText('after', '\nExamples:\n  $ vitae credits balance --project acme --environment production --json')
    .action(
      withAdmin<EnvironmentName, []>(async ({ admin, options, json }) => {
        const balance = await admin.ask('GET /credits/balance', {
          query: { project: options.project, environment: options.environment },
        })
        print(json, balance, () => card(balance))
      }),
    )
  withEnvironment(credits.command('history'))
    .description('the ledger entries of an environment, newest first')
    .addOption(
      new Option('--kind <kind>', 'only entries of this kind').choices([
        'grant',
        'adjustment',
        'charge',
        'hold',
        'capture',
        'release',
      ]),
    )
    .option('--since <time>', 'a date, an ISO 8601 time, or how long ago, such as 24h')
    .option('--until <time>', 'the same, for the end')
    .option('--limit <n>', 'how many', wholeNumber, 100)
    .option('--cursor <cursor>', 'from where the last page ended')
    .addHelpText(
      'after',
      '\nExamples:\n  $ vitae credits history --project acme --environment production --limit 20\n  $ vitae credits history --project acme --environment production --kind grant --since 2026-10-01 --until 2026-11-01',
    )
    .action(
      withAdmin<HistoryOptions, []>(async ({ admin, options, json }) => {
        const { project, environment, kind, since, until, limit, cursor } = options
        const query = { project, environment, kind, since, until, limit, cursor }
        const page = await admin.ask('GET /credits/history', { query })
        print(json, page, () =>
          table(page.entries, ['id', 'at', 'kind', 'amount', 'key_id', 'request_id', 'reason'], 'No entries fit.'),
        )
      }),
    )

  program
    .command('ledger')
    .description('the ledger behind all balances')
    .command('verify')
    .description('recompute every balance from the entries; exit code 1 when anything differs')
    .addHelpText('after', '\nExamples:\n  $ vitae ledger verify')
    .action(
      withAdmin(async ({ admin, json }) => {
        const result = await admin.ask('GET /ledger/verify')
        const verdict = () =>
          result.ok
            ? `The ledger is exact: ${result.entries} entries.`
            : table(result.differences, ['what', 'expected', 'actual'], '')
        print(json, result, verdict)
        if (!result.ok)
          throw new CommandError(
            `${result.differences.length} differences between the ledger's entries and its balances`,
          )
      }),
    )
  program
    .command('receipts')
    .description('what a call cost and where its data came from')
    .command('show <request-id>')
    .description('show the receipt of one call')
    .addHelpText('after', '\nExamples:\n  $ vitae receipts show 0198c0de-7a11-7000-8000-00000000beef')
    .action(
      withAdmin<object, [string]>(async ({ admin, json }, requestId) => {
        const receipt = await admin.ask('GET /receipts/:request_id', { params: [requestId] })
        print(json, receipt, () => {
          const { price_lines: lines, ...rest } = receipt
          const price = lines.map(({ line, credits }) => `${line}, ${credits} credits`).join('; ')
          return card({ ...rest, price: price || null })
        })
      }),
    )
}

function change(route: 'POST /credits/grants' | 'POST /credits/adjustments') {
  return withAdmin<EnvironmentName & { amount: number; reason?: string }, []>(async ({ admin, options, json }) => {
    const { project, environment, amount, reason } = options
    const body = { project, environment, amount, ...(reason ? { reason } : {}) }
    const balance = await admin.ask(route, { body })
    print(json, balance, () => card(balance))
  })
}

/** The options of a command that is about one environment. */
export function withEnvironment(command: Command): Command {
  return command
    .requiredOption('--project <name>', 'the project')
    .requiredOption('--environment <name>', 'the environment')
}
