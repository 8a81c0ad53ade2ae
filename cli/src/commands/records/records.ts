import type { AdminAnswer } from '@vitae/contract/admin'
import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { findKind, kindOption, type KindOption } from '../../find-kind.ts'
import { wholeNumber } from '../../numbers.ts'
import { option, pageOptions } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { card, outline, print, table } from '../../terminal/output.ts'
import { withAdmin } from '../../admin/with-admin.ts'
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
  versionCommands(records)
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
  plainCommand(records, {
    command: 'search [text]',
    description: 'search by the beginning of a name or slug, or by any id in full',
    route: 'GET /records',
    options: [kindOption(), ...pageOptions(50)],
    list: {
      of: 'records',
      columns: ['kind', 'name', 'slug', 'key', 'provider', 'fetched_at', 'versions'],
      empty: 'Nothing fits.',
      whole: true,
    },
    examples: ['vitae records search amara', 'vitae records search --kind companies --limit 200 --json'],
  })
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
    table(fetches, ['id', 'provider', 'at', 'status', 'outcome', 'cost'], 'No fetches are stored.'),
    record === null ? 'There is no current record.' : outline(record),
  ].join('\n\n')
}

function versionCommands(records: Command): void {
  plainCommand(records, {
    command: 'history <id>',
    description: 'every version of a record that is kept, newest first',
    route: 'GET /records/people/:ref/history',
    ofRecord: true,
    options: [kindOption()],
    list: {
      of: 'versions',
      columns: ['id', 'fetched_at', 'provider', 'source_updated_at', 'thin', 'current', 'fetch_id'],
      empty: 'No versions are stored.',
      whole: true,
    },
    examples: ['vitae records history amara-okafor', 'vitae records history urn:li:member:900000101 --json'],
  })
  plainCommand(records, {
    command: 'diff <id>',
    description: 'what changed between two moments; the last two versions by default',
    route: 'GET /records/people/:ref/diff',
    ofRecord: true,
    options: [
      kindOption(),
      option('--from <time>', 'the version of this moment: a date, an ISO 8601 time, or how long ago'),
      option('--to <time>', 'the later moment, in the same form'),
    ],
    part: ({ changes }) => ({ changes }),
    list: { of: 'changes', columns: ['kind', 'path', 'before', 'after'], empty: 'Nothing changed.', whole: true },
    examples: [
      'vitae records diff amara-okafor',
      'vitae records diff 1441 --kind companies --from 2026-01-01 --to 2026-11-01 --json',
    ],
  })
}

function rawCommand(records: Command): void {
  const raw = records
    .command('raw <fetch-id>')
    .description(
      'an answer of a provider, byte for byte except what never_store of a provider file removes; "records show" lists the fetches',
    )
    .action(
      withAdmin<object, [string]>(async ({ admin }, fetchId) => {
        if (!/^\d{1,15}$/.test(fetchId)) throw new CommandError('Give the number of the fetch.', { exitCode: 2 })
        process.stdout.write(await admin.bytes('GET', `/admin/v1/records/fetches/${fetchId}/raw`))
      }),
    )
  examples(raw, 'vitae records raw 42 > payload.json')
}

function refreshCommand(records: Command): void {
  plainCommand(records, {
    command: 'refresh <id>',
    description: 'fetch a record now; nobody is billed',
    route: 'POST /records/people/:ref/refresh',
    ofRecord: true,
    options: [kindOption()],
    text: describe,
    examples: ['vitae records refresh amara-okafor', 'vitae records refresh tidewater-robotics --kind companies'],
  })
}
