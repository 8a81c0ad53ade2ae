import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import { CommandError, warnOfRoot } from '../../command-error.ts'
import type { AdminClient, Asked } from '../../admin/admin-client.ts'
import { askWithProgress } from '../../admin/ask-with-progress.ts'
import { plainCommand } from '../../plain-command.ts'
import { card, print, table } from '../../terminal/output.ts'
import { withAdmin, type GlobalOptions } from '../../admin/with-admin.ts'

/** `vitae backup`, `vitae backups`, `vitae backups verify`, `vitae restore`, `vitae resume-work` */
export function backupCommands(program: Command): void {
  program
    .command('backup [file]')
    .description('copy the embedded store into one file, while it is in use or not, and verify the copy')
    .addHelpText(
      'after',
      `
Examples:
  $ vitae backup /mnt/backup/vitae.db
  $ vitae backup --yes /mnt/backup/vitae.db      (replaces an older one)

Without FILE it makes one more in VITAE_BACKUP_DIR. The secret key is not in it: keep <data dir>/secret-key apart.
With --url the file is written on the machine of the service.`,
    )
    .action(
      withAdmin(async ({ admin, options, json }, ...[file]: string[]) => {
        const body = { ...(file === undefined ? {} : { path: resolve(file) }), overwrite: options.yes }
        const made = await withProgress(admin, 'POST /backups', { body })
        print(json, made, () => card(made))
      }),
    )
  const backups = program
    .command('backups')
    .description('list the scheduled backups')
    .addHelpText('after', '\nExamples:\n  $ vitae backups')
    .action(
      withAdmin(async ({ admin, json }) => {
        const list = await admin.ask('GET /backups')
        const none =
          list.dir === null
            ? 'No backups are scheduled: set VITAE_BACKUP_DIR.'
            : `There is no backup in ${list.dir} yet.`
        const rows = list.backups.map(({ path, size, made_at }) => ({ path, size, made_at }))
        print(json, list.backups, () => table(rows, ['made_at', 'size', 'path'], none))
      }),
    )
  backups
    .command('verify <name>')
    .description(
      'check all of a scheduled backup: that it is what was written, its pages, its ledger and its audit log',
    )
    .addHelpText('after', '\nExamples:\n  $ vitae backups verify vitae-20261114T093000Z.db')
    .action(
      withAdmin(async ({ admin, json }, ...[name = '']: string[]) => {
        const asked = { params: [basename(name)], body: {} }
        const checked = await withProgress(admin, 'POST /backups/:name/verify', asked)
        print(json, checked, () => card(checked))
        if (!checked.ok) process.exitCode = 1
      }),
    )
  restoreCommand(program)
  resumeWorkCommand(program)
}

/** Shows the progress of a backup or its check on a terminal; the result is the same without. */
function withProgress<Route extends 'POST /backups' | 'POST /backups/:name/verify'>(
  admin: AdminClient,
  route: Route,
  asked: Asked,
) {
  if (!process.stderr.isTTY) return admin.ask(route, asked)
  return askWithProgress(admin, route, asked, {
    lost: (failure) => failure ?? 'The connection was lost before the end.',
  })
}

interface RestoreOptions {
  withoutDigest?: boolean
  secretKey?: string
  suppressions?: string
}

function restoreCommand(program: Command): void {
  program
    .command('restore [file]')
    .description('restore a backup into an empty data folder, and repeat the erasures made since the backup')
    .option('--secret-key <file>', 'secret-key of the old data folder (or set VITAE_SECRET_KEY)')
    .option('--suppressions <file>', 'suppressions.ndjson of the old data folder')
    .option('--without-digest', 'accept a backup without a digest, from an older version')
    .addHelpText(
      'after',
      `
Examples:
  $ VITAE_DATA_DIR=/var/lib/vitae vitae restore /mnt/backup/vitae.db --secret-key /root/vitae-secret-key
  $ vitae restore --suppressions suppressions.ndjson      (after pg_restore, before the first node starts)

The list of suppressions is also found beside the backup, in VITAE_BACKUP_DIR, and in the old data folder.`,
    )
    .action(async (file: string | undefined, options: RestoreOptions, command: Command) => {
      const { json } = command.optsWithGlobals<GlobalOptions>()
      if (file !== undefined) return restore(json, file, options)
      if (!options.suppressions) throw new CommandError('Name the backup to restore.', { exitCode: 2 })
      const { replaySuppressionList } = await import('@vitae/service/replay-suppressions')
      const { workStopped, ...replayed } = await replaySuppressionList(options.suppressions)
      const view = { ...replayView(replayed), work_stopped: workStopped }
      print(json, view, () => card(view))
      sayWhatWaits(workStopped)
    })
}

async function restore(json: boolean, file: string, options: RestoreOptions): Promise<void> {
  const { restoreBackup } = await import('@vitae/service/restore')
  const { dataDir, madeAt, lists, replayed, workStopped, durationMs, ...counts } = await restoreBackup({
    file,
    secretKeyFile: options.secretKey ?? null,
    suppressionsFile: options.suppressions ?? null,
    withoutDigest: options.withoutDigest ?? false,
  })
  const view = {
    data_dir: dataDir,
    made_at: madeAt === null ? null : new Date(madeAt).toISOString(),
    ...counts,
    ledger_verified: true,
    suppression_lists: lists,
    ...replayView(replayed),
    work_stopped: workStopped,
    duration_ms: durationMs,
  }
  print(json, view, () => card(view))
  warnOfRoot(dataDir)
  sayWhatWaits(workStopped)
  if (lists.length > 0) return
  const since = view.made_at ?? 'it was made'
  process.stderr.write(
    `vitae: no suppressions.ndjson was found, so erasures after ${since} are not known here. Restore again with --suppressions if there were any.\n`,
  )
}

function sayWhatWaits(workStopped: boolean): void {
  if (!workStopped) return
  process.stderr.write(
    'vitae: batches, watches and webhooks of the backup wait. When the service that it is of has ended: "vitae serve --resume-work", or "vitae resume-work".\n',
  )
}

function resumeWorkCommand(program: Command): void {
  plainCommand(program, {
    command: 'resume-work',
    description: 'resume the batches, watches and webhooks of a restored store',
    route: 'POST /work/resume',
    body: {},
    text: ({ resumed }) => (resumed ? 'They go on.' : 'Nothing was stopped.'),
    examples: ['vitae resume-work'],
  }).addHelpText(
    'after',
    '\nDo this only after the original service has ended: two services with the same watches pay twice.',
  )
}

function replayView({ added, erased, redacted }: { added: number; erased: number; redacted: number }) {
  return { suppressions_added: added, erased_again: erased, redacted_again: redacted }
}
