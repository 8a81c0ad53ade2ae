import type { AdminAnswer } from '@vitae/contract/admin'
import type { Command } from 'commander'
import type { AdminClient } from '../../admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { confirm } from '../../terminal/confirm.ts'
import { examples } from '../../examples.ts'
import { card, print } from '../../terminal/output.ts'
import { ProgressBar } from '../../terminal/progress-bar.ts'
import { withAdmin } from '../../with-admin.ts'

type Plan = AdminAnswer<'planPurge'>

type Purged = AdminAnswer<'purgeRecords'>

interface Options {
  provider: string
  reason?: string
  dryRun: boolean
}

/** `vitae records purge` */
export function purgeCommand(records: Command): void {
  const command = records
    .command('purge')
    .description('remove everything that one provider supplied, for a contract that has ended')
    .requiredOption('--provider <name>', 'the provider; it must be out of VITAE_UPSTREAM or paused')
    .option('--reason <text>', 'why, for the audit log')
    .option('--dry-run', 'only show what would be removed', false)
    .action(
      withAdmin<Options, []>(async ({ admin, options, json }) => {
        const { provider, reason = null } = options
        const plan = await admin.ask('GET /records/purge', { query: { provider } })
        if (options.dryRun) return print(json, plan, () => planText(plan))
        await confirm(options, 'Remove all of this? It cannot be brought back.', planText(plan))
        const purged = await purgeWithProgress(admin, { provider, reason })
        print(json, purged, () => card({ ...purged.removed, duration_ms: purged.duration_ms }))
      }),
    )
  examples(
    command,
    'vitae records purge --provider coresignal --dry-run',
    'vitae records purge --provider coresignal --reason "contract ended" --yes --json',
  )
}

async function purgeWithProgress(admin: AdminClient, body: object): Promise<Purged> {
  const bar = new ProgressBar()
  let result: Purged | null = null
  let failure: string | null = null
  const onLine = (text: string) => {
    const line = JSON.parse(text) as { progress?: { step: string; seen: number }; result?: Purged; error?: string }
    if (line.progress) bar.show(null, `removing: ${line.progress.step} ${line.progress.seen.toLocaleString('en-US')}`)
    result = line.result ?? result
    failure = line.error ?? failure
  }
  await admin.bytes('POST', '/admin/v1/records/purge', body, { headers: { accept: 'application/x-ndjson' }, onLine })
  bar.end()
  if (result) return result
  throw new CommandError(`The purge did not end: ${failure ?? 'the connection was lost'}. Run it again: it goes on.`)
}

function planText({ provider, would_remove: counts }: Plan): string {
  return `This will be removed, all of it from ${provider}:\n${card(counts)}`
}
