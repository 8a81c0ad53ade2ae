import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { wholeNumber } from '../../numbers.ts'
import { print, table, type Row } from '../../terminal/output.ts'
import { queryText } from '../../query-text.ts'
import { withAdmin } from '../../with-admin.ts'

interface ListOptions {
  action?: string
  subject?: string
  project?: string
  limit: number
  cursor?: string
}

/** `vitae audit ...` */
export function auditCommands(program: Command): void {
  const audit = program.command('audit').description('who did what: every change, and every look at a record')

  const list = audit
    .command('list')
    .description('list entries, newest first')
    .option('--action <name>', 'only this action, such as key.revoke')
    .option('--subject <subject>', 'only about this')
    .option('--project <name>', 'only about this project and all that belongs to it')
    .option('--limit <n>', 'how many', wholeNumber, 100)
    .option('--cursor <cursor>', 'from where the last page ended')
    .action(
      withAdmin<ListOptions, []>(async ({ admin, options, json }) => {
        const { action, subject, project, limit, cursor } = options
        const query = queryText({ action, subject, project, limit, cursor })
        const page = await admin.json<{ entries: Row[] }>('GET', `/admin/v1/audit${query}`)
        print(json, page, () =>
          table(page.entries, ['id', 'at', 'actor', 'action', 'subject', 'reason'], 'Nothing fits.'),
        )
      }),
    )
  examples(list, 'vitae audit list --limit 20', 'vitae audit list --action record.erase --json')
  const verify = audit
    .command('verify')
    .description('check that no entry was changed or removed; exit code 1 when one was')
    .action(
      withAdmin(async ({ admin, json }) => {
        const result = await admin.json<{ ok: boolean; checked: number; broken_at: number | null }>(
          'GET',
          '/admin/v1/audit/verify',
        )
        print(json, result, () =>
          result.ok ? `The log is whole: ${result.checked} entries.` : `Entry ${result.broken_at} breaks the chain.`,
        )
        if (!result.ok) throw new CommandError(`the audit log was tampered with at or before entry ${result.broken_at}`)
      }),
    )
  examples(verify, 'vitae audit verify')
}
