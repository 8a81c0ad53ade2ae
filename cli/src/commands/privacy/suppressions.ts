import type { Kind } from '@vitae/contract'
import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { confirm } from '../../terminal/confirm.ts'
import { examples } from '../../examples.ts'
import { kindChoice, option, pageOptions, reasonOption, sinceOption } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { print, table } from '../../terminal/output.ts'
import { withAdmin } from '../../admin/with-admin.ts'
import { importSuppressionsCommand } from './suppressions-import.ts'

/** `vitae suppressions ...` and `vitae erasures ...` */
export function suppressionCommands(program: Command): void {
  const suppressions = program.command('suppressions').description('the suppression list, as keyed hashes')
  plainCommand(suppressions, {
    command: 'list',
    description: 'the list, oldest first',
    route: 'GET /suppressions',
    options: [sinceOption('7d'), ...pageOptions()],
    list: {
      of: 'suppressions',
      columns: ['created_at', 'kind', 'origin', 'reason', 'hash'],
      empty: 'The suppression list is empty.',
      whole: true,
    },
    examples: ['vitae suppressions list', 'vitae suppressions list --since 30d --json'],
  })
  changeCommands(suppressions)
  plainCommand(suppressions, {
    command: 'export',
    description: 'print the whole list, one entry per line, for another service with the same VITAE_SECRET_KEY',
    route: 'GET /suppressions/export',
    options: [option('--since <time>', 'only entries that were added since then')],
    file: true,
    examples: ['vitae suppressions export > suppressions.ndjson'],
  })
  importSuppressionsCommand(suppressions)
  erasuresCommand(program)
}

function changeCommands(suppressions: Command): void {
  plainCommand(suppressions, {
    command: 'add <ids...>',
    description: 'suppress people or companies',
    route: 'POST /suppressions',
    options: [
      kindChoice('what the ids are', 'people'),
      reasonOption('why'),
      option('--origin <name>', 'where the request came from', { usual: 'operator' }),
    ],
    text: ({ added }) => `${added} names are suppressed from now on.`,
    examples: [
      'vitae suppressions add amara-okafor --reason "objection 12"',
      'vitae suppressions add amara@tidewater-robotics.example',
      'vitae suppressions add 1441 --kind companies',
    ],
  })
  const remove = suppressions
    .command('remove <ids...>')
    .description('remove people or companies from the list, under every name of their erasure')
    .addOption(kindChoice('what the ids are', 'people'))
    .option('--reason <text>', 'why')
    .action(
      withAdmin<{ kind: Kind; reason?: string }, [string[]]>(async ({ admin, options, json }, ids) => {
        await confirm(options, `Let ${ids.join(', ')} in again?`)
        const { kind, reason } = options
        const body = { kind, ids, ...(reason ? { reason } : {}) }
        const result = await admin.ask('POST /suppressions/remove', { body })
        const { removed, suppressions: taken } = result
        if (removed === 0)
          throw new CommandError(
            `Nothing was removed: the suppression list has no entry for ${ids.join(', ')} as ${kind}.`,
          )
        print(json, result, () =>
          [
            `${removed} names were taken off the list.`,
            ...(taken.length > 0 ? [table(taken, ['created_at', 'kind', 'origin', 'reason', 'hash'], '')] : []),
          ].join('\n'),
        )
      }),
    )
  examples(remove, 'vitae suppressions remove amara-okafor --reason "objection 12 withdrawn"')
  plainCommand(suppressions, {
    command: 'check <ids...>',
    description: 'which of these ids are suppressed',
    route: 'POST /suppressions/check',
    options: [kindChoice('what the ids are', 'people')],
    text: ({ suppressed }) => suppressed.join('\n') || 'None of them is suppressed.',
    examples: ['vitae suppressions check amara-okafor someone-else --json'],
  })
}

function erasuresCommand(program: Command): void {
  const erasures = program.command('erasures').description('erasures, for systems that hold copies of our data')
  plainCommand(erasures, {
    command: 'list',
    description: 'list erasures since a given time, as hashes; "suppressions check" takes ids',
    route: 'GET /erasures',
    options: [sinceOption('7d'), ...pageOptions()],
    list: {
      of: 'erasures',
      columns: ['erased_at', 'kind', 'hash', 'bytes_gone_by', 'bytes_gone_at'],
      empty: 'Nobody was erased.',
      whole: true,
    },
    examples: ['vitae erasures list --since 7d --json'],
  })
}
