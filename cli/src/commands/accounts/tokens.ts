import { Option, type Command } from 'commander'
import { confirm } from '../../terminal/confirm.ts'
import { examples } from '../../examples.ts'
import { card, print, table, type Row } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'

const path = '/admin/v1/tokens'

/** `vitae tokens ...` */
export function tokenCommands(program: Command): void {
  const tokens = program.command('tokens').description('admin tokens: who may operate the service')

  const create = tokens
    .command('create')
    .description('make an admin token; it is shown once')
    .addOption(
      new Option(
        '--role <role>',
        'viewer looks, operator works on keys and records, billing deals with credits, owner does all',
      )
        .choices(['viewer', 'operator', 'billing', 'owner'])
        .makeOptionMandatory(),
    )
    .option('--label <text>', 'a name for people')
    .option('--project <name>', 'limit it to one project')
    .action(
      withAdmin<{ role: string; label?: string; project?: string }, []>(async ({ admin, options, json }) => {
        const { role, label = null, project = null } = options
        const made = await admin.json<object>('POST', path, { role, label, project })
        print(json, made, () => `${card(made)}\n\nKeep the token now: it is not shown again.`)
      }),
    )
  examples(
    create,
    'vitae tokens create --role viewer --label "on-call dashboard"',
    'vitae tokens create --role operator --project acme --json',
    'vitae tokens create --role billing --label finance',
  )
  const list = tokens
    .command('list')
    .description('list admin tokens')
    .action(
      withAdmin(async ({ admin, json }) => {
        const page = await admin.json<{ tokens: Row[] }>('GET', path)
        const columns = ['id', 'label', 'role', 'project', 'created_at', 'last_used_at', 'revoked_at']
        print(json, page.tokens, () => table(page.tokens, columns, 'There are none but the owner’s own.'))
      }),
    )
  examples(list, 'vitae tokens list')
  const revoke = tokens
    .command('revoke <id>')
    .description('end an admin token and its console sessions at once')
    .action(
      withAdmin<object, [string]>(async ({ admin, options, json }, id) => {
        await confirm(options, `Revoke ${id}? Its users lose access at once.`)
        const token = await admin.json<object>('POST', `${path}/${encodeURIComponent(id)}/revoke`)
        print(json, token, () => card(token))
      }),
    )
  examples(revoke, 'vitae tokens revoke tok_4a1f... --yes')
}
