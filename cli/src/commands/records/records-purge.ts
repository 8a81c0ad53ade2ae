import type { AdminAnswer } from '@vitae/contract/admin'
import type { Command } from 'commander'
import { askWithProgress } from '../../admin/ask-with-progress.ts'
import { confirm } from '../../terminal/confirm.ts'
import { examples } from '../../examples.ts'
import { card, print } from '../../terminal/output.ts'
import { goneText, nowOption } from './erasure-texts.ts'
import { withAdmin } from '../../admin/with-admin.ts'

type Plan = AdminAnswer<'planPurge'>

interface Options {
  provider: string
  reason?: string
  now: boolean
  dryRun: boolean
}

/** `vitae records purge` */
export function purgeCommand(records: Command): void {
  const command = records
    .command('purge')
    .description('remove everything that one provider supplied, after its contract has ended')
    .requiredOption('--provider <name>', 'the provider; it must be out of VITAE_UPSTREAM or paused')
    .option('--reason <text>', 'why, for the audit log')
    .option(...nowOption)
    .option('--dry-run', 'only show what would be removed', false)
    .action(
      withAdmin<Options, []>(async ({ admin, options, json }) => {
        const { provider, reason = null, now } = options
        const plan = await admin.ask('GET /records/purge', { query: { provider } })
        if (options.dryRun) return print(json, plan, () => planText(plan))
        await confirm(options, 'Remove all of this? It cannot be brought back.', planText(plan))
        const asked = { body: { provider, reason, now } }
        const told = { doing: 'removing: ', lost: lostPurge }
        const purged = await askWithProgress(admin, 'POST /records/purge', asked, told)
        print(
          json,
          purged,
          () => `${card({ ...purged.removed, duration_ms: purged.duration_ms })}\n${goneText(purged)}`,
        )
      }),
    )
  examples(
    command,
    'vitae records purge --provider coresignal --dry-run',
    'vitae records purge --provider coresignal --reason "contract ended" --yes --json',
  )
}

function lostPurge(failure = 'the connection was lost'): string {
  return `The purge did not finish: ${failure}. Run it again to continue.`
}

function planText({ provider, would_remove: counts }: Plan): string {
  return `This will be removed, all of it from ${provider}:\n${card(counts)}`
}
