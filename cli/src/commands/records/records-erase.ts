import type { AdminAnswer } from '@vitae/contract/admin'
import type { Command } from 'commander'
import { askWithProgress } from '../../admin/ask-with-progress.ts'
import { CommandError } from '../../command-error.ts'
import { confirm } from '../../terminal/confirm.ts'
import { examples } from '../../examples.ts'
import { findKind, kindOption, type KindOption } from '../../find-kind.ts'
import { card, print, table } from '../../terminal/output.ts'
import { withAdmin, type Context } from '../../admin/with-admin.ts'
import { eraseMany, readIds } from './records-erase-many.ts'
import { goneText, lostErasure, nowOption } from './erasure-texts.ts'

type Plan = AdminAnswer<'planPersonErasure'>

type Options = KindOption & {
  reason: string
  file?: string
  mention?: string[]
  eraseSuspects: boolean
  now: boolean
  dryRun: boolean
}

/** `vitae records erase` */
export function eraseCommand(records: Command): void {
  const command = records
    .command('erase [id]')
    .description('erase a person or company everywhere, and suppress them from now on')
    .requiredOption('--reason <text>', 'why, for the audit log; do not name the person here')
    .addOption(kindOption())
    .option(
      '--file <file>',
      'many at once: an id, slug, URL or e-mail address per line; blank lines and # lines are skipped',
    )
    .option('--mention <words...>', 'further words by which others’ data may mention the subject, such as a full name')
    .option('--erase-suspects', 'erase a record as one subject although its versions name different ones', false)
    .option(...nowOption)
    .option('--dry-run', 'only show what would be removed', false)
    .action(
      withAdmin<Options, [string | undefined]>(async (context, id) => {
        const { file, mention } = context.options
        if ((id === undefined) === (file === undefined))
          throw new CommandError('Give an id, or a file of ids with --file.', { exitCode: 2 })
        if (mention && (file !== undefined || id?.includes('@')))
          throw new CommandError('--mention needs one id, which is not an e-mail address.', { exitCode: 2 })
        if (file !== undefined) return eraseMany(context, await readIds(file))
        if (id?.includes('@')) return eraseMany(context, [{ line: 1, id }])
        return eraseOne(context, id ?? '')
      }),
    )
  examples(
    command,
    'vitae records erase amara-okafor --reason "request 17"',
    'vitae records erase urn:li:member:900000101 --reason "request 17" --now --yes --json',
    'vitae records erase 1441 --kind companies --reason "request 18" --dry-run',
    'vitae records erase --file requests.txt --kind people --reason "requests of May"',
  )
}

async function eraseOne({ admin, options, json }: Context<Options>, id: string): Promise<void> {
  const kind = await findKind(admin, id, options.kind)
  const plan = await admin.ask(`GET /records/${kind}/:ref/erasure`, { params: [id] })
  if (options.dryRun) return print(json, plan, () => planText(plan))
  refuseSuspects(plan, options.eraseSuspects)
  await confirm(options, 'Erase all of this? It cannot be brought back.', planText(plan))
  const { reason, mention, eraseSuspects, now } = options
  const body = { reason, erase_suspects: eraseSuspects, now, ...(mention ? { markers: mention } : {}) }
  const shown = { doing: 'erasing: ', lost: lostErasure }
  const erased = await askWithProgress(admin, `POST /records/${kind}/:ref/erase`, { params: [id], body }, shown)
  print(json, erased, () =>
    [
      card({ ...erased.erased, suppressed_hashes: erased.suppressed_hashes, duration_ms: erased.duration_ms }),
      goneText(erased),
    ].join('\n'),
  )
}

/** Refuses a record that may be two subjects: erasing one must not suppress the other, so it must be split first. */
function refuseSuspects({ entities }: Plan, eraseSuspects: boolean): void {
  const suspect = entities.find(({ suspect_names: names }) => names.length > 0)
  if (!suspect || eraseSuspects) return
  throw new CommandError(
    `Nothing was erased: ${suspect.key} has versions of ${suspect.suspect_names.join(' and ')}, who may be two subjects. ` +
      'Split it first with "vitae records split" ("vitae records suspects" lists the fetches), or add --erase-suspects to erase it as one.',
    { code: 'conflict' },
  )
}

function planText({ entities, calls, replays, mentions }: Plan): string {
  const columns = ['key', 'name', 'versions', 'fetches', 'payloads']
  return [
    'This will be removed:',
    table(
      entities.map(({ suspect_names: _names, ...entity }) => entity),
      columns,
      'Nothing is stored; the id is only suppressed from now on.',
    ),
    `in ${calls} entries of the call log, ${replays} remembered answers, and ${mentions} records of others that mention it`,
  ].join('\n')
}
