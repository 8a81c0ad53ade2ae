import type { NewKey } from '@vitae/contract/admin'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { numberOrNull, wholeNumberOr } from '../../numbers.ts'
import { cursorOption, limitOption, plainCommand, reasonOption } from '../../plain-command.ts'
import { card, print } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'

interface KeyOptions {
  label?: string
  ceiling?: number | 'none'
  dailyCeiling?: number | 'none'
  rate?: string
  endpoints?: NameList
  parts?: NameList
  networks?: NameList
  expires?: string
}

/** The names that a list allows; `all` is no limit, and an empty list allows nothing. */
type NameList = string[] | 'all'

const columns = [
  'id',
  'display',
  'project',
  'environment',
  'mode',
  'label',
  'ceiling',
  'spent_this_month',
  'daily_ceiling',
  'spent_today',
  'rate',
  'revoked_at',
]

/** `vitae keys ...` */
export function keyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys of projects')

  withSettings(keys.command('create'))
    .description('make a key; it is shown once. Project and environment are made when absent')
    .requiredOption('--project <name>', 'the project')
    .requiredOption('--environment <name>', 'the environment')
    .addOption(
      new Option('--mode <mode>', 'live keys spend credits, test keys give samples')
        .choices(['live', 'test'])
        .makeOptionMandatory(),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ vitae keys create --project acme --environment production --mode live --ceiling 10000 --daily-ceiling 500
  $ vitae keys create --project acme --environment staging --mode test --rate 50/10s --json`,
    )
    .action(
      withAdmin<KeyOptions & { project: string; environment: string; mode: string }, []>(
        async ({ admin, options, json }) => {
          const { project, environment, mode } = options
          const body = { project, environment, mode, ...settings(options) }
          const made = await admin.ask('POST /keys', { body })
          print(json, made, () => newKeyText(made))
        },
      ),
    )
  plainCommand(keys, {
    command: 'list',
    description: 'list keys',
    route: 'GET /keys',
    options: [
      new Option('--project <name>', 'only of this project'),
      new Option('--environment <name>', 'only of this environment'),
      limitOption(100),
      cursorOption(),
    ],
    list: { of: 'keys', columns, empty: 'There are no keys yet. "vitae keys create" makes one.' },
    examples: ['vitae keys list --project acme'],
  })
  plainCommand(keys, {
    command: 'show <id>',
    description: 'show a key',
    route: 'GET /keys/:id',
    examples: ['vitae keys show key_4fT0...'],
  })
  withSettings(keys.command('update <id>'))
    .description('change settings of a key; those that are not named stay')
    .addHelpText(
      'after',
      '\nExamples:\n  $ vitae keys update key_4fT0... --ceiling 20000\n  $ vitae keys update key_4fT0... --ceiling none --rate 600/60s\n  $ vitae keys update key_4fT0... --parts none --networks all',
    )
    .action(
      withAdmin<KeyOptions, [string]>(async ({ admin, options, json }, id) => {
        const key = await admin.ask('PATCH /keys/:id', { params: [id], body: settings(options) })
        print(json, key, () => card(key))
      }),
    )
  plainCommand(keys, {
    command: 'revoke <id>',
    description: 'end a key at once',
    route: 'POST /keys/:id/revoke',
    options: [reasonOption()],
    confirm: (id) => `Revoke ${id}? Every call with it fails from then on.`,
    examples: ['vitae keys revoke key_4fT0... --yes'],
  })
  plainCommand(keys, {
    command: 'rotate <id>',
    description: 'make a successor that inherits everything, and let the old key live for an overlap',
    route: 'POST /keys/:id/rotate',
    options: [
      new Option('--overlap <duration>', 'how long the old key goes on, such as 1h; 0s ends it now').default('1h'),
    ],
    text: newKeyText,
    examples: ['vitae keys rotate key_4fT0... --overlap 24h', 'vitae keys rotate key_4fT0... --overlap 0s'],
  })
}

function newKeyText(made: NewKey): string {
  return `${card(made)}\n\nKeep the key now: it is not shown again.`
}

function withSettings(command: Command): Command {
  return command
    .option('--label <text|none>', 'a name for people')
    .option('--ceiling <n|none>', 'credits per UTC month; none: no ceiling', wholeNumberOr('none'))
    .option('--daily-ceiling <n|none>', 'credits per UTC day; none: no ceiling', wholeNumberOr('none'))
    .option('--rate <limit/window|none>', 'calls per window, such as 300/60s; none: the default of the service')
    .option('--endpoints <list|all|none>', 'allowed endpoints: people,companies', nameList)
    .option('--parts <list|all|none>', 'allowed optional parts: contact,network,verifications', nameList)
    .option('--networks <list|all|none>', 'addresses or CIDR networks that may use it', nameList)
    .option('--expires <time|none>', 'ISO 8601 time')
}

/** Options as the admin API wants them; only what was given. */
function settings(options: KeyOptions): Record<string, unknown> {
  const { ceiling, dailyCeiling } = options
  const body: Record<string, unknown> = {
    ...(ceiling === undefined ? {} : { ceiling: numberOrNull(ceiling) }),
    ...(dailyCeiling === undefined ? {} : { daily_ceiling: numberOrNull(dailyCeiling) }),
  }
  const put = (name: string, value: string | undefined, read: (text: string) => unknown) => {
    if (value !== undefined) body[name] = value === 'none' ? null : read(value)
  }
  put('label', options.label, String)
  put('rate', options.rate, String)
  put('expires_at', options.expires, String)
  for (const name of ['endpoints', 'parts', 'networks'] as const) {
    const allowed = options[name]
    if (allowed !== undefined) body[name] = allowed === 'all' ? null : allowed
  }
  return body
}

/** Reads names with commas between them, or `all`, or `none`. An empty value is refused: it could mean either. */
function nameList(text: string): NameList {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('It must be names with commas between them, all or none.')
  const [first = '', ...others] = names
  if (others.length === 0 && first === 'all') return 'all'
  return others.length === 0 && first === 'none' ? [] : names
}
