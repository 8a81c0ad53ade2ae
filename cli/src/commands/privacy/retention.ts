import type { Command } from 'commander'
import { plainCommand } from '../../plain-command.ts'
import { card } from '../../terminal/output.ts'

/** `vitae retention ...` */
export function retentionCommands(program: Command): void {
  const retention = program.command('retention').description('how long data is kept')
  plainCommand(retention, {
    command: 'plan',
    description: 'the rules, and what a run would remove now',
    route: 'GET /retention/plan',
    text: (plan) => `${card(plan.rules)}\n\nA run would remove:\n${card(plan.would_remove)}`,
    examples: ['vitae retention plan'],
  })
  plainCommand(retention, {
    command: 'run',
    description: 'remove what is older than the rules allow; the ledger is never touched',
    route: 'POST /retention/run',
    confirm: () => 'Remove all expired data? "vitae retention plan" shows what.',
    text: ({ removed }) => card(removed),
    examples: ['vitae retention run --yes'],
  })
}
