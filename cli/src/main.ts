import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { CommandError, fileTrouble } from './command-error.ts'
import { loadEnvFile } from './env-file.ts'
import { VitaeCommand } from './vitae-command.ts'
import { backupCommands } from './commands/operations/backup.ts'
import { auditCommands } from './commands/privacy/audit.ts'
import { callCommands } from './commands/accounts/calls.ts'
import { completionCommand } from './commands/operations/completion.ts'
import { alertCommands } from './commands/accounts/alerts.ts'
import { creditCommands } from './commands/accounts/credits.ts'
import { priceCommands } from './commands/accounts/prices.ts'
import { doctorCommand } from './commands/operations/doctor.ts'
import { enrichCommand } from './commands/records/enrich.ts'
import { keyCommands } from './commands/accounts/keys.ts'
import { lookupCommand } from './commands/records/lookup.ts'
import { mcpCommand } from './commands/operations/mcp.ts'
import { projectCommands } from './commands/accounts/projects.ts'
import { providerCommands } from './commands/operations/providers.ts'
import { recordCommands } from './commands/records/records.ts'
import { retentionCommands } from './commands/privacy/retention.ts'
import { serveCommand } from './commands/operations/serve.ts'
import { sessionCommands } from './commands/accounts/sessions.ts'
import { configCommands } from './commands/operations/config.ts'
import { storeCommands } from './commands/operations/store.ts'
import { suppressionCommands } from './commands/privacy/suppressions.ts'
import { tokenCommands } from './commands/accounts/tokens.ts'
import { ownCommands } from './commands/accounts/own.ts'
import { watchCommands } from './commands/records/watches.ts'
import { statementCommand } from './commands/accounts/statement.ts'
import { usageCommands } from './commands/accounts/usage.ts'
import { webhookCommands } from './commands/operations/webhooks.ts'

/** Builds the whole command line. */
export function buildProgram(): Command {
  const program = new VitaeCommand('vitae')
    .description('Operate Vitae, the self-hosted professional-data lookup service.')
    .version(ownVersion())
    .option('--json', 'print JSON on a terminal too', false)
    .option('--yes', 'answer yes to every question', false)
    .option('--url <url>', 'the address of a remote service (or VITAE_URL, with VITAE_ADMIN_TOKEN)')
    .option('--env-file <file>', 'a file of variables to read instead of ./.env; variables that are already set win')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(add --help for the options and examples)')
    .exitOverride()
    .hook('preAction', (root) => {
      root.setOptionValue('loaded', loadEnvFile(root.opts<{ envFile?: string }>().envFile))
    })
  program.commandsGroup('Run the service:')
  serveCommand(program)
  configCommands(program)
  doctorCommand(program)
  backupCommands(program)
  storeCommands(program)
  completionCommand(program)
  program.commandsGroup('Give access:')
  projectCommands(program)
  keyCommands(program)
  tokenCommands(program)
  sessionCommands(program)
  program.commandsGroup('Credits, prices and usage:')
  creditCommands(program)
  priceCommands(program)
  alertCommands(program)
  usageCommands(program)
  statementCommand(program)
  callCommands(program)
  ownCommands(program)
  program.commandsGroup('Look up and enrich:')
  lookupCommand(program)
  enrichCommand(program)
  mcpCommand(program)
  watchCommands(program)
  webhookCommands(program)
  program.commandsGroup('Providers:')
  providerCommands(program)
  program.commandsGroup('Records and privacy:')
  recordCommands(program)
  suppressionCommands(program)
  retentionCommands(program)
  auditCommands(program)
  return program
}

function ownVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** Runs one command line. Exit codes: 0 done, 1 failed, 2 wrong use. */
export async function run(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', endWithReader)
  // A closed standard error only loses progress output, so ignore it.
  process.stderr.on('error', () => undefined)
  try {
    await buildProgram().parseAsync(argv)
  } catch (error) {
    process.exitCode = reported(error)
  }
}

/** A reader such as `head` closes the pipe early, which is not a failure. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
}

/** Prints an error in one line, and returns the exit code. */
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
  const trouble = fileTrouble(error)
  if (trouble === null) throw error
  process.stderr.write(`vitae: ${trouble}\n`)
  return 1
}
