import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { confirm } from '../../terminal/confirm.ts'
import { examples } from '../../examples.ts'
import { plainCommand } from '../../plain-command.ts'
import { print } from '../../terminal/output.ts'
import { withAdmin } from '../../admin/with-admin.ts'

/** `vitae sessions ...` */
export function sessionCommands(program: Command): void {
  const sessions = program.command('sessions').description('sessions of the console')

  plainCommand(sessions, {
    command: 'list',
    description: 'list the sessions with address and time of sign-in',
    route: 'GET /sessions',
    list: {
      of: 'sessions',
      columns: ['id', 'actor', 'role', 'project', 'method', 'address', 'created_at', 'last_used_at'],
      empty: 'Nobody is signed in to the console.',
    },
    examples: ['vitae sessions list'],
  })
  const end = sessions
    .command('end [id]')
    .description('end one session, or all of a person, at once')
    .option('--person <name>', 'end all sessions of this person, as "sessions list" names them')
    .option('--reason <text>', 'goes to the audit log')
    .action(
      withAdmin<{ person?: string; reason?: string }, [string | undefined]>(async ({ admin, options, json }, id) => {
        const { person, reason } = options
        if ((id === undefined) === (person === undefined))
          throw new CommandError('Name one session by its id, or a person with --person.', { exitCode: 2 })
        await confirm(options, `End ${id ?? `all sessions of ${person}`}?`)
        const why = reason === undefined ? {} : { reason }
        const done =
          id === undefined
            ? await admin.ask('POST /sessions/end', { body: { person, ...why } })
            : await admin.ask('POST /sessions/:id/end', { params: [id], body: why })
        print(json, done, () => (done.ended.length === 1 ? '1 session ended.' : `${done.ended.length} sessions ended.`))
      }),
    )
  examples(
    end,
    'vitae sessions end ses_8c2d... --yes',
    'vitae sessions end --person ada@team.example --reason "left us" --yes',
  )
}
