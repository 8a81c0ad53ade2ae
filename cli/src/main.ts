import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { CommandError } from './command-error.ts'
import { creditCommands } from './commands/credits.ts'
import { keyCommands } from './commands/keys.ts'
import { projectCommands } from './commands/projects.ts'
import { serveCommand } from './commands/serve.ts'

/** Builds the whole command line. */
export function buildProgram(): Command {
  const program = new Command('vitae')
    .description('Operate Vitae, the self-hosted professional-data lookup service.')
    .version(manifest.version)
    .option('--json', 'print JSON for programs', false)
    .option('--yes', 'answer yes to every question', false)
    .option('--url <url>', 'the address of a remote service (or VITAE_URL, with VITAE_ADMIN_TOKEN)')
    .showHelpAfterError('(add --help for the options and examples)')
    .exitOverride()
  serveCommand(program)
  projectCommands(program)
  keyCommands(program)
  creditCommands(program)
  return program
}

/** Runs one command line. Exit codes: 0 done, 1 failed, 2 wrong use. */
export async function run(argv: readonly string[]): Promise<void> {
  try {
    await buildProgram().parseAsync(argv)
  } catch (error) {
    process.exitCode = reported(error)
  }
}

/** Says what went wrong in one line, and gives the exit code. */
function reported(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof CommandError) {
    process.stderr.write(`vitae: ${error.message}\n`)
    return error.exitCode
  }
  if (error instanceof Error && (error.name === 'StartError' || error.name === 'ConfigError')) {
    process.stderr.write(`${error.message}\n`)
    return 1
  }
  throw error
}
