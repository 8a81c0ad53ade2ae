import type { Command } from 'commander'
import type { AdminClient } from '../../admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { confirm } from '../../terminal/confirm.ts'
import { examples } from '../../examples.ts'
import { findKind, recordPath } from '../../find-kind.ts'
import { kindOption, type KindOption } from '../../kind-option.ts'
import { card, print, table } from '../../terminal/output.ts'
import { ProgressBar } from '../../terminal/progress-bar.ts'
import { withAdmin } from '../../with-admin.ts'

interface Plan {
  entities: { id: number; key: string; name: string | null; versions: number; fetches: number; payloads: number }[]
  calls: number
  replays: number
  mentions: number
}

interface Erased {
  erased: Record<string, number>
  suppressed_hashes: number
  files_rewritten: boolean
  tables_left: string[]
  duration_ms: number
}

type Options = KindOption & { reason: string; mention?: string[]; dryRun: boolean }

/** `vitae records erase` */
export function eraseCommand(records: Command): void {
  const command = records
    .command('erase <id>')
    .description('erase a person or company from everything, and keep them out from now on')
    .requiredOption('--reason <text>', 'why, for the audit log; do not name the person here')
    .addOption(kindOption())
    .option('--mention <words...>', 'further words by which others’ data may mention the subject, such as a full name')
    .option('--dry-run', 'only show what would be removed', false)
    .action(
      withAdmin<Options, [string]>(async ({ admin, options, json }, id) => {
        const path = recordPath(await findKind(admin, id, options.kind), id)
        const plan = await admin.json<Plan>('GET', `${path}/erasure`)
        if (options.dryRun) return print(json, plan, () => planText(plan))
        await confirm(options, 'Erase all of this? It cannot be brought back.', planText(plan))
        const { reason, mention } = options
        const erased = await eraseWithProgress(admin, path, { reason, ...(mention ? { markers: mention } : {}) })
        print(json, erased, () =>
          [
            card({ ...erased.erased, suppressed_hashes: erased.suppressed_hashes, duration_ms: erased.duration_ms }),
            ...(erased.tables_left.length > 0 ? [leftText(erased.tables_left)] : []),
          ].join('\n'),
        )
      }),
    )
  examples(
    command,
    'vitae records erase amara-okafor --reason "request 17"',
    'vitae records erase urn:li:member:900000101 --reason "request 17" --yes --json',
    'vitae records erase 1441 --kind companies --reason "request 18" --dry-run',
  )
}

function leftText(tables: string[]): string {
  return `Still to come: ${tables.join(', ')} hold deleted rows until the long transaction that reads the database ends; the service then rewrites them by itself.`
}

async function eraseWithProgress(admin: AdminClient, path: string, body: object): Promise<Erased> {
  const bar = new ProgressBar()
  let result: Erased | null = null
  let failure: string | null = null
  const onLine = (text: string) => {
    const line = JSON.parse(text) as { progress?: { step: string; seen: number }; result?: Erased; error?: string }
    if (line.progress) bar.show(null, `erasing: ${line.progress.step} ${line.progress.seen.toLocaleString('en-US')}`)
    result = line.result ?? result
    failure = line.error ?? failure
  }
  await admin.bytes('POST', `${path}/erase`, body, { headers: { accept: 'application/x-ndjson' }, onLine })
  bar.end()
  if (result) return result
  throw new CommandError(`The erasure did not end: ${failure ?? 'the connection was lost'}. Run it again: it goes on.`)
}

function planText({ entities, calls, replays, mentions }: Plan): string {
  const columns = ['key', 'name', 'versions', 'fetches', 'payloads']
  return [
    'This will be removed:',
    table(entities, columns, 'Nothing is stored; the id is only kept out from now on.'),
    `in ${calls} entries of the call log, ${replays} remembered answers, and ${mentions} records of others that mention it`,
  ].join('\n')
}
