import { Option, type Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { cursorOption, limitOption, plainCommand } from '../../plain-command.ts'
import { print } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'

/** `vitae audit ...` */
export function auditCommands(program: Command): void {
  const audit = program.command('audit').description('who did what: every change, and every look at a record')

  plainCommand(audit, {
    command: 'list',
    description: 'list entries, newest first',
    route: 'GET /audit',
    options: [
      new Option('--action <name>', 'only this action, such as key.revoke'),
      new Option('--subject <subject>', 'only about this'),
      new Option('--project <name>', 'only about this project and all that belongs to it'),
      limitOption(100),
      cursorOption(),
    ],
    list: {
      of: 'entries',
      columns: ['id', 'at', 'actor', 'action', 'subject', 'reason'],
      empty: 'Nothing fits.',
      whole: true,
    },
    examples: ['vitae audit list --limit 20', 'vitae audit list --action record.erase --json'],
  })
  const verify = audit
    .command('verify')
    .description('check that no entry was changed or removed; exit code 1 when one was')
    .action(
      withAdmin(async ({ admin, json }) => {
        const result = await admin.ask('GET /audit/verify')
        print(json, result, () =>
          result.ok ? `The log is whole: ${result.checked} entries.` : `Entry ${result.broken_at} breaks the chain.`,
        )
        if (!result.ok) throw new CommandError(`the audit log was tampered with at or before entry ${result.broken_at}`)
      }),
    )
  examples(verify, 'vitae audit verify')
}
