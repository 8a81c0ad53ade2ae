import type { Command } from 'commander'
import { signedNumber, wholeNumber, wholeNumberOr } from '../../numbers.ts'
import { environmentOptions, option, pageOptions, reasonOption, spanOptions } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { table } from '../../terminal/output.ts'

/** `vitae credits ...`, `vitae ledger ...` */
export function creditCommands(program: Command): void {
  const credits = program.command('credits').description('credits of an environment')
  changeCommands(credits)
  limitCommands(credits)
  plainCommand(credits, {
    command: 'balance',
    description: 'what an environment has, holds and can spend',
    route: 'GET /credits/balance',
    options: environmentOptions(),
    examples: ['vitae credits balance --project acme --environment production --json'],
  })
  plainCommand(credits, {
    command: 'history',
    description: 'the ledger entries of an environment, newest first',
    route: 'GET /credits/history',
    options: [
      ...environmentOptions(),
      option('--kind <kind>', 'only entries of this kind', {
        choices: ['grant', 'adjustment', 'charge', 'hold', 'capture', 'release'],
      }),
      ...spanOptions(),
      ...pageOptions(),
    ],
    list: {
      of: 'entries',
      columns: ['id', 'at', 'kind', 'amount', 'key_id', 'request_id', 'reason'],
      empty: 'No entries fit.',
      whole: true,
    },
    examples: [
      'vitae credits history --project acme --environment production --limit 20',
      'vitae credits history --project acme --environment production --kind grant --since 2026-10-01 --until 2026-11-01',
    ],
  })
  plainCommand(program.command('ledger').description('the ledger behind all balances'), {
    command: 'verify',
    description: 'recompute every balance from the entries; exit code 1 when anything differs',
    route: 'GET /ledger/verify',
    text: ({ ok, entries, differences }) =>
      ok ? `The ledger is exact: ${entries} entries.` : table(differences, ['what', 'expected', 'actual'], ''),
    failure: ({ ok, differences }) =>
      ok ? null : `${differences.length} differences between the ledger's entries and its balances`,
    examples: ['vitae ledger verify'],
  })
}

function changeCommands(credits: Command): void {
  plainCommand(credits, {
    command: 'grant',
    description: 'grant credits',
    route: 'POST /credits/grants',
    options: [
      ...environmentOptions(),
      option('--amount <n>', 'how many', { read: wholeNumber, required: true }),
      reasonOption(),
    ],
    examples: ['vitae credits grant --project acme --environment production --amount 5000'],
  })
  plainCommand(credits, {
    command: 'adjust',
    description: 'correct a balance by a signed amount',
    route: 'POST /credits/adjustments',
    options: [
      ...environmentOptions(),
      option('--amount <n>', 'number of credits; a negative number removes credits', {
        read: signedNumber,
        required: true,
      }),
      reasonOption(),
    ],
    examples: ['vitae credits adjust --project acme --environment production --amount=-20 --reason "double grant"'],
  })
}

function limitCommands(credits: Command): void {
  const monthly = (text: string) => option('--monthly <n|none>', text, { read: wholeNumberOr('none'), required: true })
  plainCommand(credits, {
    command: 'budget',
    description: 'limit what all keys of an environment may spend together in a UTC month',
    route: 'POST /credits/budgets',
    options: [...environmentOptions(), monthly('credits per UTC month; none removes the limit'), reasonOption()],
    examples: [
      'vitae credits budget --project acme --environment production --monthly 20000',
      'vitae credits budget --project acme --environment production --monthly none',
    ],
  })
  plainCommand(credits, {
    command: 'recurring',
    description: 'grant credits on the 1st of each UTC month',
    route: 'POST /credits/recurring',
    options: [
      ...environmentOptions(),
      monthly('credits per UTC month; none ends the grants'),
      option('--carry-over', 'unspent credits stay for the next month', { usual: false }),
      reasonOption(),
    ],
    examples: [
      'vitae credits recurring --project acme --environment production --monthly 5000',
      'vitae credits recurring --project acme --environment production --monthly none',
    ],
  })
}
