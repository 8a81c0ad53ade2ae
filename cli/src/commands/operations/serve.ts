import type { Command } from 'commander'
import type { GlobalOptions } from '../../admin/with-admin.ts'

interface ServeOptions {
  demo: boolean
  resumeWork: boolean
}

/** `vitae serve` */
export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service in the foreground')
    .option(
      '--demo',
      'make a demo project with keys and credits, print them, and serve fictional records unless VITAE_UPSTREAM is set',
      false,
    )
    .option('--resume-work', 'resume the batches, watches and webhooks of a restored store', false)
    .addHelpText(
      'after',
      `
Examples:
  $ vitae serve --demo
  $ PORT=9000 VITAE_DATA_DIR=/var/lib/vitae vitae serve

The configuration is read from the environment and from a file .env in this folder (or --env-file); .env.example lists
every variable. A secret may be in a file of its own: VITAE_ADMIN_TOKEN_FILE=/run/secrets/token. "vitae config check"
says what is wrong without starting anything.`,
    )
    .action(async (_options: object, command: Command) => {
      const { demo, resumeWork, loaded } = command.optsWithGlobals<ServeOptions & GlobalOptions>()
      const { serve } = await import('@vitae/service/main')
      await serve({ demo, resumeWork, envFile: loaded })
    })
}
