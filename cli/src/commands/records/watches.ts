import type { AdminAnswer } from '@vitae/contract/admin'
import { writeFileSync } from 'node:fs'
import type { Kind, WatchById } from '@vitae/contract'
import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { csvCell, csvLine } from '@vitae/service/csv-cells'
import { examples } from '../../examples.ts'
import { wholeNumber, wholeNumberOr } from '../../numbers.ts'
import { kindChoice, option, ownerFilters, pageOptions } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { confirm } from '../../terminal/confirm.ts'
import { card, print } from '../../terminal/output.ts'
import { withAdmin } from '../../admin/with-admin.ts'
import { isMatch, type MatchOptions, watchMatch } from './match-watch.ts'
import { addWatches, readWatchFile, watchesPath as path, type Added, type Payer } from './add-watches.ts'

type Page = AdminAnswer<'listWatches'>

const columns = [
  'id',
  'project',
  'environment',
  'kind',
  'identifier',
  'every_days',
  'last_seen_at',
  'next_due_at',
  'last_result',
  'change',
  'paused',
]

/** `vitae watches ...` */
export function watchCommands(program: Command): void {
  const watches = program
    .command('watches')
    .description('records that are refreshed at regular intervals; changes become events')
  addCommand(watches)
  listCommand(watches)
  const remove = watches
    .command('remove <watch...>')
    .description('end watches, by their ids')
    .action(
      withAdmin<object, [string[]]>(async ({ admin, options, json }, ids) => {
        await confirm(options, `End ${ids.length} watches?`)
        for (const id of ids) await admin.json('DELETE', `${path}/${encodeURIComponent(id)}`)
        print(json, { removed: ids.length }, () => `${ids.length} removed.`)
      }),
    )
  examples(remove, 'vitae watches remove wat_5f0c2d9be1a74c3388f1a2b4')
  importCommand(watches)
  exportCommand(watches)
}

type AddOptions = Omit<Payer, 'project'> & Partial<Pick<Payer, 'project'>> & MatchOptions

function addCommand(watches: Command): void {
  const add = withPayer(watches.command('add [id...]'), 'the project; required unless a record is matched')
    .description('watch records by id or by a match; with neither, only set the monthly limit')
    .option('--email <address>', 'match a person by an e-mail address; --key is then the API key that pays')
    .option('--phone <number>', 'match by a phone number with its country code')
    .option('--name <name>', 'match by a name; a person also needs --company or --domain')
    .option('--company <name>', 'the employer of the matched person')
    .option('--domain <domain>', 'the domain of the matched company, or of the employer')
    .action(
      withAdmin<AddOptions, [string[]]>(async ({ admin, options, json }, ids) => {
        if (isMatch(options)) {
          if (ids.length > 0) throw new CommandError('Give ids or a match, not both.', { exitCode: 2 })
          const watch = await watchMatch(admin, options)
          return print(json, watch, () => card(watch))
        }
        const { project, kind, everyDays, note } = options
        if (project === undefined) throw new CommandError('Give --project.', { exitCode: 2 })
        const asked = ids.map((id): WatchById => {
          return {
            kind,
            id,
            ...(everyDays === undefined ? {} : { every_days: everyDays }),
            ...(note === undefined ? {} : { note }),
          }
        })
        const added = await addWatches(admin, { ...options, project }, asked)
        const [bad] = added.errors
        if (bad) process.stderr.write(added.errors.map(({ index, reason }) => `${ids[index]}: ${reason}\n`).join(''))
        print(json, added, () => addedText(added))
        if (bad) throw new CommandError(`${added.errors.length} of ${ids.length} ids could not be read.`)
      }),
    )
  examples(
    add,
    'vitae watches add --project acme --environment production ada-example --every-days 7 --note "champion"',
    'vitae watches add --project acme --environment production --kind companies example-works --every-days 30',
    'vitae watches add --project acme --environment production --max-credits-per-month 500',
    'vitae watches add --email amara@tidewater-robotics.example --key "$VITAE_API_KEY" --every-days 7',
    'vitae watches add --kind companies --domain tidewater-robotics.example --key "$VITAE_API_KEY"',
  )
}

function listCommand(watches: Command): void {
  plainCommand(watches, {
    command: 'list',
    description: 'list watches with their last refresh, next refresh and last change',
    route: 'GET /watches',
    options: [...ownerFilters(), kindChoice('only these'), option('--paused', 'only paused watches'), ...pageOptions()],
    list: {
      of: 'watches',
      columns,
      rows: ({ last_change: change, ...watch }) => ({ ...watch, change: change?.type }),
      empty: 'There are no watches.',
    },
    examples: [
      'vitae watches list --project acme',
      'vitae watches list --paused --json',
      'vitae watches list --csv > watches.csv',
    ],
  })
}

function importCommand(watches: Command): void {
  const command = withPayer(watches.command('import <file>'))
    .description(
      'watch every record in a CSV with a column id; columns kind, every_days and note go before the options',
    )
    .action(
      withAdmin<Payer, [string]>(async ({ admin, options, json }, file) => {
        const { asked, rows } = await readWatchFile(file, options)
        const added = await addWatches(admin, options, asked)
        for (const { index, reason } of added.errors) process.stderr.write(`row ${rows[index]}: ${reason}\n`)
        const { watches: _, ...total } = added
        print(json, total, () => addedText(added))
      }),
    )
  examples(
    command,
    'vitae watches import champions.csv --project acme --environment production --every-days 14 --max-credits-per-month 2000',
  )
}

function exportCommand(watches: Command): void {
  const command = withFilter(watches.command('export'))
    .description('write watches as CSV that "import" reads')
    .option('--out <file>', 'the file; default: standard output')
    .action(
      withAdmin<Filter & { out?: string }, []>(async ({ admin, options, json }) => {
        const { project, environment, kind } = options
        const lines = [csvLine(['kind', 'id', 'every_days', 'note', 'project', 'environment'])]
        for (let cursor: string | undefined | null; cursor !== null;) {
          const query = { project, environment, kind, limit: 1_000, cursor }
          const page: Page = await admin.ask('GET /watches', { query })
          for (const watch of page.watches) {
            const { identifier, every_days: days, note } = watch
            lines.push(
              csvLine(
                [watch.kind, identifier, days, note ?? '', watch.project, watch.environment].map((cell) =>
                  csvCell(cell),
                ),
              ),
            )
          }
          cursor = page.next_cursor
        }
        const text = lines.join('')
        if (options.out === undefined) process.stdout.write(text)
        else {
          writeFileSync(options.out, text, { mode: 0o600 })
          print(
            json,
            { exported: lines.length - 1, file: options.out },
            () => `${lines.length - 1} written to ${options.out}.`,
          )
        }
      }),
    )
  examples(command, 'vitae watches export --project acme > watches.csv')
}

function addedText({
  created,
  existing,
  key_id: key,
  credits_per_month: cost,
  max_credits_per_month: most,
}: Added): string {
  const limit = most === null ? 'no limit' : `limit ${most}`
  return `${created} new, ${existing} already existed. Key ${key} pays, at most ${cost} credits in 30 days for these (${limit} for all watches per month).`
}

function withPayer(command: Command, project?: string): Command {
  return command
    .addOption(option('--project <name>', project ?? 'the project', project === undefined ? { required: true } : {}))
    .option('--environment <name>', 'the environment', 'production')
    .option('--key <id>', 'the key that pays; default: the newest live key of the environment')
    .addOption(kindChoice('what the ids are', 'people'))
    .option('--every-days <n>', 'days between two refreshes, 1 to 365; default 7 for new watches', wholeNumber)
    .option('--note <text>', 'for yourselves')
    .option(
      '--max-credits-per-month <n|none>',
      'what all watches of the environment may spend in a UTC month',
      wholeNumberOr('none'),
    )
}

interface Filter {
  project?: string
  environment?: string
  kind?: Kind
}

function withFilter(command: Command): Command {
  return command
    .option('--project <name>', 'only this project')
    .option('--environment <name>', 'only this environment')
    .addOption(kindChoice('only these'))
}
