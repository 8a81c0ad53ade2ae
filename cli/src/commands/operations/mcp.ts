import type { Command } from 'commander'
import { readSecret } from '@vitae/service/secret'
import { findServiceUrl } from '../../admin/admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { wholeNumber } from '../../numbers.ts'

/** `vitae mcp` */
export function mcpCommand(program: Command): void {
  const command = program
    .command('mcp')
    .description('serve tools for agents on standard input and output (Model Context Protocol)')
    .option('--max-credits <n>', 'the most that this session may spend; required to spend with a live key', wholeNumber)
    .addHelpText(
      'after',
      `
The API key is read from VITAE_API_KEY (or VITAE_API_KEY_FILE), the address of the service from --url or VITAE_URL; else it
is the one that runs on the data folder. The same tools are served by the service itself at POST /mcp.`,
    )
    .action(async (_own: unknown, command: Command) => {
      const { maxCredits, url } = command.optsWithGlobals<{ maxCredits?: number; url?: string }>()
      await serve(await findServiceUrl({ url, mayStartLater: true }), maxCredits ?? null, program.version() ?? '')
    })
  examples(command, 'VITAE_URL=https://vitae.example.com VITAE_API_KEY=vt_live_... vitae mcp --max-credits 100')
}

async function serve(baseUrl: string, maxCredits: number | null, version: string): Promise<void> {
  const apiKey = readSecret(process.env, 'VITAE_API_KEY')
  if (!apiKey) throw new CommandError('No API key: set VITAE_API_KEY.', { exitCode: 2 })
  // Loaded here, because only this command needs the protocol and loading it takes time.
  const [{ clientApi }, { serveTools }] = await Promise.all([
    import('../../mcp/client-api.ts'),
    import('@vitae/service/mcp'),
  ])
  const say = (text: string) => process.stderr.write(`vitae: ${text}\n`)
  const api = clientApi({ apiKey, baseUrl, maxCredits })
  if (api.spendingRefusal !== null) say(api.spendingRefusal)
  serveTools(api, version, (error) => say(error instanceof Error ? error.message : String(error)))
}
