import type { NewKey } from '@vitae/contract/admin'
import type { Command, Option } from 'commander'
import { wholeNumberOr } from '../../numbers.ts'
import { environmentOptions, nameList, option, ownerFilters, pageOptions, reasonOption } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { card } from '../../terminal/output.ts'

const columns =
  'id display project environment mode label ceiling spent_this_month daily_ceiling spent_today rate revoked_at'

/** `vitae keys ...` */
export function keyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys of projects')

  plainCommand(keys, {
    command: 'create',
    description: 'make a key; it is shown once. Project and environment are made when absent',
    route: 'POST /keys',
    options: [
      ...settings(),
      ...environmentOptions(),
      option('--mode <mode>', 'live keys spend credits, test keys return samples', {
        choices: ['live', 'test'],
        required: true,
      }),
    ],
    named: { expires: 'expires_at' },
    text: newKeyText,
    examples: [
      'vitae keys create --project acme --environment production --mode live --ceiling 10000 --daily-ceiling 500',
      'vitae keys create --project acme --environment staging --mode test --rate 50/10s --json',
    ],
  })
  plainCommand(keys, {
    command: 'list',
    description: 'list keys',
    route: 'GET /keys',
    options: [...ownerFilters(), ...pageOptions()],
    list: {
      of: 'keys',
      columns: columns.split(' '),
      empty: 'There are no keys yet. "vitae keys create" makes one.',
    },
    examples: ['vitae keys list --project acme', 'vitae keys list --csv > keys.csv'],
  })
  plainCommand(keys, {
    command: 'show <id>',
    description: 'show a key',
    route: 'GET /keys/:id',
    examples: ['vitae keys show key_4fT0...'],
  })
  plainCommand(keys, {
    command: 'update <id>',
    description: 'change settings of a key; settings that are not named stay unchanged',
    route: 'PATCH /keys/:id',
    options: settings(),
    named: { expires: 'expires_at' },
    examples: [
      'vitae keys update key_4fT0... --ceiling 20000',
      'vitae keys update key_4fT0... --ceiling none --rate 600/60s',
      'vitae keys update key_4fT0... --parts none --networks all',
    ],
  })
  plainCommand(keys, {
    command: 'revoke <id>',
    description: 'revoke a key at once',
    route: 'POST /keys/:id/revoke',
    options: [reasonOption()],
    confirm: (id) => `Revoke ${id}? Every call with it fails from then on.`,
    examples: ['vitae keys revoke key_4fT0... --yes'],
  })
  plainCommand(keys, {
    command: 'rotate <id>',
    description: 'create a successor with the same settings; the old key works until the overlap ends',
    route: 'POST /keys/:id/rotate',
    options: [
      option('--overlap <duration>', 'how long the old key still works, such as 1h; 0s revokes it now', {
        usual: '1h',
      }),
    ],
    text: newKeyText,
    examples: ['vitae keys rotate key_4fT0... --overlap 24h', 'vitae keys rotate key_4fT0... --overlap 0s'],
  })
}

function newKeyText(made: NewKey): string {
  return `${card(made)}\n\nKeep the key now: it is not shown again.`
}

function settings(): Option[] {
  const ceiling = { read: wholeNumberOr('none') }
  const list = { read: nameList }
  return [
    option('--label <text|none>', 'a name for people'),
    option('--ceiling <n|none>', 'credits per UTC month; none: no ceiling', ceiling),
    option('--daily-ceiling <n|none>', 'credits per UTC day; none: no ceiling', ceiling),
    option('--rate <limit/window|none>', 'calls per window, such as 300/60s; none: the default of the service'),
    option('--endpoints <list|all|none>', 'allowed endpoints: people,companies', list),
    option('--parts <list|all|none>', 'allowed optional parts: contact,network,verifications', list),
    option('--networks <list|all|none>', 'addresses or CIDR networks that may use it', list),
    option('--expires <time|none>', 'ISO 8601 time'),
  ]
}
