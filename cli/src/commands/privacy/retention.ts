import type { Command } from 'commander'
import { confirm } from '../../terminal/confirm.ts'
import { examples } from '../../examples.ts'
import { card, print } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'

/** `vitae retention ...` */
export function retentionCommands(program: Command): void {
  const retention = program.command('retention').description('how long data is kept')

  const plan = retention
    .command('plan')
    .description('the rules, and what a run would remove now')
    .action(
      withAdmin(async ({ admin, json }) => {
        const result = await admin.json<{ rules: object; would_remove: object }>('GET', '/admin/v1/retention/plan')
        print(json, result, () => `${card(result.rules)}\n\nA run would remove:\n${card(result.would_remove)}`)
      }),
    )
  examples(plan, 'vitae retention plan')
  const run = retention
    .command('run')
    .description('remove what is older than the rules allow; the ledger is never touched')
    .action(
      withAdmin(async ({ admin, options, json }) => {
        await confirm(options, 'Remove what is too old? "vitae retention plan" shows what.')
        const result = await admin.json<{ removed: object }>('POST', '/admin/v1/retention/run')
        print(json, result, () => card(result.removed))
      }),
    )
  examples(run, 'vitae retention run --yes')
}
