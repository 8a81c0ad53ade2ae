import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { option } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { outline, print } from '../../terminal/output.ts'
import type { GlobalOptions } from '../../admin/with-admin.ts'
import { firstFile } from './first-provider-file.ts'

export const fileEnding = '.provider.yaml'

/** `vitae providers check FILE`: checks a provider file without any request. */
export async function checkFile(path: string, json: boolean): Promise<void> {
  const { compileProviderFile } = await import('@vitae/provider/files')
  const text = read(path)
  try {
    const { name, facts } = compileProviderFile(path, text)
    print(json, { ok: true, name, by: facts.by, billed: facts.billed }, () => `${path} is valid: ${name}`)
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** `vitae providers new`: drafts a file from one payload, for a person to complete. */
export function newFileCommand(providers: Command): void {
  const command = providers
    .command('new <name>')
    .description('write a first provider file from an answer of the vendor, with guesses to complete')
    .requiredOption('--from <file>', 'an answer of the vendor: JSON of one person or company')
    .addOption(new Option('--kind <kind>', 'what the answer is about').choices(['person', 'company']).default('person'))
    .action(async (name: string, options: { from: string; kind: 'person' | 'company' }, command: Command) => {
      const { json } = command.optsWithGlobals<GlobalOptions>()
      if (!/^[a-z][a-z\d]{1,29}$/.test(name))
        throw new CommandError('A name has 2 to 30 lower-case letters and digits.', { exitCode: 2 })
      const path = `${name}${fileEnding}`
      if (existsSync(path)) throw new CommandError(`${path} already exists.`)
      const { text, missing } = firstFile(name, options.kind, parse(options.from))
      writeFileSync(path, text)
      print(json, { path, missing }, () =>
        [`${path} was created. Complete it:`, ...missing.map((one) => `- ${one}`)].join('\n'),
      )
    })
  examples(
    command,
    'vitae providers new acmedata --from payload.json',
    'vitae providers new acmedata --kind company --from ebb.json',
  )
}

/** `vitae providers confirm`: one paid call that shows request, verdict, record and cost. */
export function confirmCommand(providers: Command): void {
  plainCommand(providers, {
    command: 'confirm <name> <id>',
    description: 'ask a provider file for one record, which may cost, and show request, verdict, record and cost',
    route: 'POST /providers/:name/confirm',
    options: [option('--kind <kind>', 'what is asked for', { choices: ['person', 'company'], usual: 'person' })],
    text: outline,
    failure: ({ ok, verdict, detail }, name) => (ok ? null : `${name} is not confirmed: ${verdict}. ${detail}`),
    examples: [
      'vitae providers confirm scrapin ada-example',
      'vitae providers confirm hunter ebb-office --kind company',
    ],
  })
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new CommandError(`${path} cannot be read.`, { exitCode: 2 })
  }
}

function parse(path: string): unknown {
  try {
    return JSON.parse(read(join(path))) as unknown
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${path} is not JSON.`, { exitCode: 2 })
  }
}
