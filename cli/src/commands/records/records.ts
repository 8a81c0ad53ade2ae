import type { AdminAnswer } from '@vitae/contract/admin'
import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { findKind, kindOption, type KindOption } from '../../find-kind.ts'
import { wholeNumber } from '../../numbers.ts'
import { card, outline, print, table } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'
import { eraseCommand } from './records-erase.ts'
import { exportCommand } from './records-export.ts'
import { importCommand } from './records-import.ts'
import { purgeCommand } from './records-purge.ts'
import { reprojectCommand } from './records-reproject.ts'
import { splitCommand, suspectsCommand } from './records-split.ts'

/** `vitae records ...`. An ID is a member_urn, company_id, slug or URL. */
export function recordCommands(program: Command): void {
  const records = program.command('records').description('what is stored about people and companies')
  searchCommand(records)
  showCommand(records)
  historyCommand(records)
  diffCommand(records)
  rawCommand(records)
  refreshCommand(records)
  reprojectCommand(records)
  importCommand(records)
  exportCommand(records)
  suspectsCommand(records)
  splitCommand(records)
  eraseCommand(records)
  purgeCommand(records)
}

function searchCommand(records: Command): void {
  const search = records
    .command('search [text]')
    .description('search by the beginning of a name or slug, or by any id in full')
    .addOption(kindOption())
    .option('--limit <n>', 'how many', wholeNumber, 50)
    .option('--cursor <cursor>', 'from where the last page ended')
    .action(
      withAdmin<KindOption & { limit: number; cursor?: string }, [string | undefined]>(
        async ({ admin, options, json }, text) => {
          const { kind, limit, cursor } = options
          const page = await admin.ask('GET /records', { query: { text, kind, limit, cursor } })
          const columns = ['kind', 'name', 'slug', 'key', 'provider', 'fetched_at', 'versions']
          print(json, page, () => table(page.records, columns, 'Nothing fits.'))
        },
      ),
    )
  examples(search, 'vitae records search amara', 'vitae records search --kind companies --limit 200 --json')
}

function showCommand(records: Command): void {
  const show = records
    .command('show <id>')
    .description('show a record, its names, and where it came from')
    .addOption(kindOption())
    .option('--at-version <id>', 'an earlier version, by its id in the history', wholeNumber)
    .action(
      withAdmin<KindOption & { atVersion?: number }, [string]>(async ({ admin, options, json }, id) => {
        if (options.atVersion !== undefined) {
          const version = await admin.ask('GET /records/versions/:id', { params: [String(options.atVersion)] })
          return print(json, version, () => outline(version))
        }
        const kind = await findKind(admin, id, options.kind)
        const view = await admin.ask(`GET /records/${kind}/:ref`, { params: [id] })
        print(json, view, () => describe(view))
      }),
    )
  examples(show, 'vitae records show amara-okafor', 'vitae records show 1441 --kind companies --json')
}

function describe({ aliases, record, supplied, fetches, ...view }: AdminAnswer<'showPersonRecord'>): string {
  const missing = Object.entries(supplied).filter(([path, state]) => state === 'not_supplied' && !path.includes('.'))
  return [
    card({
      ...view,
      known_under: aliases.map(({ type, value }) => `${type}:${value}`),
      not_supplied: missing.map(([path]) => path),
    }),
    table(fetches, ['id', 'provider', 'at', 'status', 'outcome', 'cost'], 'No fetch is kept.'),
    record === null ? 'There is no record now.' : outline(record),
  ].join('\n\n')
}

function historyCommand(records: Command): void {
  const history = records
    .command('history <id>')
    .description('every version of a record that is kept, newest first')
    .addOption(kindOption())
    .action(
      withAdmin<KindOption, [string]>(async ({ admin, options, json }, id) => {
        const kind = await findKind(admin, id, options.kind)
        const found = await admin.ask(`GET /records/${kind}/:ref/history`, { params: [id] })
        const columns = ['id', 'fetched_at', 'provider', 'source_updated_at', 'thin', 'current', 'fetch_id']
        print(json, found, () => table(found.versions, columns, 'No version is kept.'))
      }),
    )
  examples(history, 'vitae records history amara-okafor', 'vitae records history urn:li:member:900000101 --json')
}

function diffCommand(records: Command): void {
  const diff = records
    .command('diff <id>')
    .description('what changed between two moments; the last two versions by default')
    .addOption(kindOption())
    .option('--from <time>', 'the version of this moment: a date, an ISO 8601 time, or how long ago')
    .option('--to <time>', 'the same, for the later one')
    .action(
      withAdmin<KindOption & { from?: string; to?: string }, [string]>(async ({ admin, options, json }, id) => {
        const { from, to } = options
        const kind = await findKind(admin, id, options.kind)
        const { changes } = await admin.ask(`GET /records/${kind}/:ref/diff`, { params: [id], query: { from, to } })
        print(json, { changes }, () => table(changes, ['kind', 'path', 'before', 'after'], 'Nothing changed.'))
      }),
    )
  examples(
    diff,
    'vitae records diff amara-okafor',
    'vitae records diff 1441 --kind companies --from 2026-01-01 --to 2026-11-01 --json',
  )
}

function rawCommand(records: Command): void {
  const raw = records
    .command('raw <fetch-id>')
    .description('an upstream answer, byte for byte as it came; "records show" lists the fetches')
    .action(
      withAdmin<object, [string]>(async ({ admin }, fetchId) => {
        if (!/^\d{1,15}$/.test(fetchId)) throw new CommandError('A fetch is named by its number.', { exitCode: 2 })
        process.stdout.write(await admin.bytes('GET', `/admin/v1/records/fetches/${fetchId}/raw`))
      }),
    )
  examples(raw, 'vitae records raw 42 > payload.json')
}

function refreshCommand(records: Command): void {
  const refresh = records
    .command('refresh <id>')
    .description('fetch a record now; nobody is billed')
    .addOption(kindOption())
    .action(
      withAdmin<KindOption, [string]>(async ({ admin, options, json }, id) => {
        const kind = await findKind(admin, id, options.kind)
        const view = await admin.ask(`POST /records/${kind}/:ref/refresh`, { params: [id] })
        print(json, view, () => describe(view))
      }),
    )
  examples(refresh, 'vitae records refresh amara-okafor', 'vitae records refresh tidewater-robotics --kind companies')
}
