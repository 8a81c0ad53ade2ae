import type { AdminAnswer } from '@vitae/contract/admin'
import { Option, type Command } from 'commander'
import { examples } from '../../examples.ts'
import { kindOption, type KindOption } from '../../find-kind.ts'
import { wholeNumber } from '../../numbers.ts'
import { reasonOption } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { print, table } from '../../terminal/output.ts'
import { withAdmin } from '../../admin/with-admin.ts'

type SuspectPage = AdminAnswer<'listSuspects'>
type Suspect = SuspectPage['suspects'][number]

type Limits = KindOption & { limit: number; cursor?: string }

/** `vitae records suspects` */
export function suspectsCommand(records: Command): void {
  const command = records
    .command('suspects')
    .description('records whose versions have names that contradict each other: two people may have become one')
    .addOption(kindOption())
    .option('--limit <n>', 'how many', wholeNumber, 50)
    .option('--cursor <cursor>', 'the cursor that the previous page printed')
    .action(
      withAdmin<Limits, []>(async ({ admin, options, json }) => {
        const { kind, limit } = options
        const found: Suspect[] = []
        let cursor: string | null = options.cursor ?? null
        // A page may be empty although more pages follow.
        do {
          const query = { kind, limit: Math.min(200, limit - found.length), cursor: cursor ?? undefined }
          const page: SuspectPage = await admin.ask('GET /records/suspects', { query })
          found.push(...page.suspects)
          cursor = page.next_cursor
        } while (cursor !== null && found.length < limit)
        print(json, { suspects: found, next_cursor: cursor }, () => suspectsText(found, cursor))
      }),
    )
  examples(command, 'vitae records suspects', 'vitae records suspects --kind people --limit 200 --json')
}

function suspectsText(suspects: readonly Suspect[], cursor: string | null): string {
  const rows = suspects.flatMap(({ kind, key, names }) =>
    names.map(({ name, providers, fetches, last_fetched_at }) => ({
      kind,
      key,
      name,
      providers: providers.join(' '),
      fetches: fetches.join(' '),
      last_fetched_at,
    })),
  )
  const columns = ['kind', 'key', 'name', 'providers', 'fetches', 'last_fetched_at']
  return [
    table(rows, columns, 'No record has names that contradict each other.'),
    ...(rows.length > 0 ? ['Split a record by the fetches of one name: vitae records split KEY --fetch N...'] : []),
    ...(cursor === null ? [] : [`More with --cursor ${cursor}`]),
  ].join('\n')
}

/** `vitae records split` */
export function splitCommand(records: Command): void {
  plainCommand(records, {
    command: 'split <id>',
    description: 'split a record into two, by the fetches of one of them; they never join again',
    route: 'POST /records/people/:ref/split',
    ofRecord: true,
    options: [
      new Option('--fetch <numbers...>', 'the fetches of one of the two, as "records suspects" lists them')
        .argParser((text: string, before: number[] | undefined) => [...(before ?? []), wholeNumber(text)])
        .makeOptionMandatory(),
      reasonOption('why, for the audit log; do not name anyone here'),
      kindOption(),
    ],
    named: { fetch: 'fetches' },
    confirm: (id, { fetch: fetches }) =>
      `Split ${id} by ${(fetches as number[]).length} of its fetches? The two are never joined again.`,
    text: splitText,
    examples: [
      'vitae records split amara-okafor --fetch 42 57',
      'vitae records split urn:li:member:900000101 --fetch 42 --reason "ticket 9" --yes --json',
    ],
  })
}

function splitText({ kept, split }: AdminAnswer<'splitPerson'>): string {
  const rows = [
    { record: 'keeps the key', ...kept },
    { record: 'new record', ...split },
  ]
  const columns = ['record', 'key', 'name', 'versions', 'fetches', 'aliases', 'watches', 'contacts']
  return [
    table(rows, columns, ''),
    'Watches follow the name they watch, contact details the record that has them. Environments that were served the record get record.split.',
  ].join('\n')
}
