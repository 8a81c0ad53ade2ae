import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { wholeNumberOr } from '../../numbers.ts'
import { environmentOptions, option } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'

/** `vitae alerts ...` */
export function alertCommands(program: Command): void {
  const alerts = program.command('alerts').description('when an environment is notified of its spending, by events')

  plainCommand(alerts, {
    command: 'set',
    description: 'set when credits.low and ceiling.near are sent; settings that are left out stay unchanged',
    route: 'POST /alerts',
    options: [
      ...environmentOptions(),
      option(
        '--credits-below <n|default>',
        'send credits.low when the balance falls below it; default: when nothing is left',
        { read: wholeNumberOr('default') },
      ),
      option(
        '--ceiling-percent <n|default>',
        "send ceiling.near when so much of a key's ceiling is spent; default: 80",
        { read: wholeNumberOr('default') },
      ),
    ],
    examples: [
      'vitae alerts set --project acme --environment production --credits-below 500 --ceiling-percent 80',
      'vitae alerts set --project acme --environment production --credits-below default',
    ],
  }).hook('preAction', (set) => {
    const { creditsBelow, ceilingPercent } = set.opts<{ creditsBelow?: unknown; ceilingPercent?: unknown }>()
    if (creditsBelow === undefined && ceilingPercent === undefined)
      throw new CommandError('Nothing to set: give --credits-below, --ceiling-percent or both')
  })
  plainCommand(alerts, {
    command: 'show',
    description: 'show when they are sent',
    route: 'GET /alerts',
    options: environmentOptions(),
    examples: ['vitae alerts show --project acme --environment production --json'],
  })
}
