import type { Command } from 'commander'
import { option } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { card } from '../../terminal/output.ts'

/** `vitae tokens ...` */
export function tokenCommands(program: Command): void {
  const tokens = program.command('tokens').description('admin tokens: who may operate the service')
  plainCommand(tokens, {
    command: 'create',
    description: 'make an admin token; it is shown once',
    route: 'POST /tokens',
    options: [
      option(
        '--role <role>',
        'viewer looks, operator works on keys and records, billing deals with credits, owner does all',
        { choices: ['viewer', 'operator', 'billing', 'owner'], required: true },
      ),
      option('--label <text>', 'a name for people'),
      option('--project <name>', 'limit it to one project'),
    ],
    text: (made) => `${card(made)}\n\nKeep the token now: it is not shown again.`,
    examples: [
      'vitae tokens create --role viewer --label "on-call dashboard"',
      'vitae tokens create --role operator --project acme --json',
      'vitae tokens create --role billing --label finance',
    ],
  })
  plainCommand(tokens, {
    command: 'list',
    description: 'list admin tokens',
    route: 'GET /tokens',
    list: {
      of: 'tokens',
      columns: ['id', 'label', 'role', 'project', 'created_at', 'last_used_at', 'revoked_at'],
      empty: 'There are no tokens besides the one of the owner.',
    },
    examples: ['vitae tokens list'],
  })
  plainCommand(tokens, {
    command: 'revoke <id>',
    description: 'revoke an admin token and end its console sessions at once',
    route: 'POST /tokens/:id/revoke',
    confirm: (id) => `Revoke ${id}? Its users lose access at once.`,
    examples: ['vitae tokens revoke tok_4a1f... --yes'],
  })
}
