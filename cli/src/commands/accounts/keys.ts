import { Option, type Command } from 'commander'
import { confirm } from '../../terminal/confirm.ts'
import { numberOrNull, wholeNumber, wholeNumberOr } from '../../numbers.ts'
import { card, print, table, type Row } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'

interface KeyOptions {
  label?: string
  ceiling?: number | 'none'
  dailyCeiling?: number | 'none'
  rate?: string
  endpoints?: string
  parts?: string
  networks?: string
  expires?: string
}

const keysPath = '/admin/v1/keys'
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
          const made = await admin.json<object>('POST', keysPath, { project, environment, mode, ...settings(options) })
          print(json, made, () => `${card(made)}\n\nKeep the key now: it is not shown again.`)
        },
      ),
    )
  keys
    .command('list')
    .description('list keys')
    .option('--project <name>', 'only of this project')
    .option('--environment <name>', 'only of this environment')
    .option('--limit <n>', 'how many', wholeNumber, 100)
    .option('--cursor <cursor>', 'from where the last page ended')
    .addHelpText('after', '\nExamples:\n  $ vitae keys list --project acme')
    .action(
      withAdmin<{ project?: string; environment?: string; limit: number; cursor?: string }, []>(
        async ({ admin, options, json }) => {
          const query = new URLSearchParams({ limit: String(options.limit) })
          for (const name of ['project', 'environment', 'cursor'] as const)
            if (options[name]) query.set(name, options[name])
          const page = await admin.json<{ keys: Row[] }>('GET', `${keysPath}?${query.toString()}`)
          print(json, page.keys, () =>
            table(page.keys, columns, 'There are no keys yet. "vitae keys create" makes one.'),
          )
        },
      ),
    )
  keys
    .command('show <id>')
    .description('show a key')
    .addHelpText('after', '\nExamples:\n  $ vitae keys show key_4fT0...')
    .action(
      withAdmin<object, [string]>(async ({ admin, json }, id) => {
        const key = await admin.json<object>('GET', keyPath(id))
        print(json, key, () => card(key))
      }),
    )
  withSettings(keys.command('update <id>'))
    .description('change settings of a key; "none" takes one away')
    .addHelpText(
      'after',
      '\nExamples:\n  $ vitae keys update key_4fT0... --ceiling 20000\n  $ vitae keys update key_4fT0... --ceiling none --rate 600/60s',
    )
    .action(
      withAdmin<KeyOptions, [string]>(async ({ admin, options, json }, id) => {
        const key = await admin.json<object>('PATCH', keyPath(id), settings(options))
        print(json, key, () => card(key))
      }),
    )
  keys
    .command('revoke <id>')
    .description('end a key at once')
    .option('--reason <text>', 'why, for the audit log')
    .addHelpText('after', '\nExamples:\n  $ vitae keys revoke key_4fT0... --yes')
    .action(
      withAdmin<{ reason?: string }, [string]>(async ({ admin, options, json }, id) => {
        await confirm(options, `Revoke ${id}? Every call with it fails from then on.`)
        const key = await admin.json<object>(
          'POST',
          `${keyPath(id)}/revoke`,
          options.reason ? { reason: options.reason } : {},
        )
        print(json, key, () => card(key))
      }),
    )
  keys
    .command('rotate <id>')
    .description('make a successor that inherits everything, and let the old key live for an overlap')
    .option('--overlap <duration>', 'how long the old key goes on, such as 1h; 0s ends it now', '1h')
    .addHelpText(
      'after',
      '\nExamples:\n  $ vitae keys rotate key_4fT0... --overlap 24h\n  $ vitae keys rotate key_4fT0... --overlap 0s',
    )
    .action(
      withAdmin<{ overlap: string }, [string]>(async ({ admin, options, json }, id) => {
        const made = await admin.json<object>('POST', `${keyPath(id)}/rotate`, { overlap: options.overlap })
        print(json, made, () => `${card(made)}\n\nKeep the key now: it is not shown again.`)
      }),
    )
}

function keyPath(id: string): string {
  return `${keysPath}/${encodeURIComponent(id)}`
}

function withSettings(command: Command): Command {
  return command
    .option('--label <text>', 'a name for people')
    .option('--ceiling <n|none>', 'credits per UTC month', wholeNumberOr('none'))
    .option('--daily-ceiling <n|none>', 'credits per UTC day', wholeNumberOr('none'))
    .option('--rate <limit/window>', 'calls per window, such as 300/60s')
    .option('--endpoints <list>', 'people,companies')
    .option('--parts <list>', 'contact,network,verifications')
    .option('--networks <list>', 'addresses or CIDR networks')
    .option('--expires <time>', 'ISO 8601 time')
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
  const list = (text: string) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  put('label', options.label, String)
  put('rate', options.rate, String)
  put('endpoints', options.endpoints, list)
  put('parts', options.parts, list)
  put('networks', options.networks, list)
  put('expires_at', options.expires, String)
  return body
}
