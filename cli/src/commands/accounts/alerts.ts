import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { numberOrNull, wholeNumberOr } from '../../numbers.ts'
import { card, print } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'
import { type EnvironmentName, withEnvironment } from './credits.ts'

/** `vitae alerts ...` */
export function alertCommands(program: Command): void {
  const alerts = program.command('alerts').description('when an environment is notified of its spending, by events')

  withEnvironment(alerts.command('set'))
    .description('set when credits.low and ceiling.near are sent; what is not given stays as it is')
    .option(
      '--credits-below <n|default>',
      'send credits.low when the balance falls below it; default: when nothing is left',
      wholeNumberOr('default'),
    )
    .option(
      '--ceiling-percent <n|default>',
      "send ceiling.near when so much of a key's ceiling is spent; default: 80",
      wholeNumberOr('default'),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ vitae alerts set --project acme --environment production --credits-below 500 --ceiling-percent 80\n  $ vitae alerts set --project acme --environment production --credits-below default',
    )
    .action(
      withAdmin<EnvironmentName & { creditsBelow?: number | 'default'; ceilingPercent?: number | 'default' }, []>(
        async ({ admin, options, json }) => {
          const { project, environment, creditsBelow, ceilingPercent } = options
          if (creditsBelow === undefined && ceilingPercent === undefined)
            throw new CommandError('Nothing to set: give --credits-below, --ceiling-percent or both')
          const body = {
            project,
            environment,
            ...(creditsBelow === undefined ? {} : { credits_below: numberOrNull(creditsBelow) }),
            ...(ceilingPercent === undefined ? {} : { ceiling_percent: numberOrNull(ceilingPercent) }),
          }
          const set = await admin.ask('POST /alerts', { body })
          print(json, set, () => card(set))
        },
      ),
    )
  withEnvironment(alerts.command('show'))
    .description('show when they are sent')
    .addHelpText('after', '\nExamples:\n  $ vitae alerts show --project acme --environment production --json')
    .action(
      withAdmin<EnvironmentName, []>(async ({ admin, options, json }) => {
        const { project, environment } = options
        const shown = await admin.ask('GET /alerts', { query: { project, environment } })
        print(json, shown, () => card(shown))
      }),
    )
}
