import type { Command } from 'commander'
import { examples } from '../../examples.ts'
import { card, print } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'

/** `vitae settings` */
export function settingsCommand(program: Command): void {
  const settings = program
    .command('settings')
    .description('the configuration as it is running; secrets are masked')
    .action(
      withAdmin(async ({ admin, json }) => {
        const running = await admin.json<{ version: string; settings: object }>('GET', '/admin/v1/settings')
        print(json, running, () => card({ version: running.version, ...flat(running.settings) }))
      }),
    )
  examples(settings, 'vitae settings', 'vitae settings --url https://vitae.example.com --json')
}

/** Nested settings under dotted names; what is not set is left out of the card. */
function flat(settings: object, prefix = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flat(value as object, `${prefix}${name}.`))
        : [[`${prefix}${name}`, value]],
    ),
  )
}
