import type { Command } from 'commander'
import { option, pageOptions } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'

/** `vitae audit ...` */
export function auditCommands(program: Command): void {
  const audit = program.command('audit').description('the audit log: every change and every read of a record')

  plainCommand(audit, {
    command: 'list',
    description: 'list entries, newest first',
    route: 'GET /audit',
    options: [
      option('--action <name>', 'only this action, such as key.revoke'),
      option('--subject <subject>', 'only entries about this record, key or project'),
      option('--project <name>', 'only entries about this project and everything in it'),
      ...pageOptions(),
    ],
    list: {
      of: 'entries',
      columns: ['id', 'at', 'actor', 'action', 'subject', 'reason'],
      empty: 'Nothing fits.',
      whole: true,
    },
    examples: ['vitae audit list --limit 20', 'vitae audit list --action record.erase --json'],
  })
  plainCommand(audit, {
    command: 'verify',
    description: 'check that no entry was changed or removed; exit code 1 when one was',
    route: 'GET /audit/verify',
    text: ({ ok, checked, broken_at: at }) =>
      ok ? `The audit log is intact: ${checked} entries.` : `Entry ${at} does not continue the chain of hashes.`,
    failure: ({ ok, broken_at: at }) => (ok ? null : `the audit log was tampered with at or before entry ${at}`),
    examples: ['vitae audit verify'],
  })
}
