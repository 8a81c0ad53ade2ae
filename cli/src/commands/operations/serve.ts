import type { Command } from 'commander'

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
    .addHelpText(
      'after',
      `
Examples:
  $ vitae serve --demo
  $ PORT=9000 VITAE_DATA_DIR=/var/lib/vitae vitae serve

The configuration is read from the environment; .env.example lists every variable.`,
    )
    .action(async (options: { demo: boolean }) => {
      const { serve } = await import('@vitae/service/main')
      await serve(options)
    })
}
