import type { Kind } from '@vitae/contract'
import type { Command } from 'commander'
import type { AdminClient } from '../../admin/admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { kindChoice } from '../../options.ts'
import { print } from '../../terminal/output.ts'
import { readLines } from '../../read-lines.ts'
import { withAdmin } from '../../admin/with-admin.ts'

interface Options {
  kind: Kind
  origin: string
}

interface Total {
  lines: number
  added: number
  bad_lines: number
}

const linesAtOnce = 500

/** `vitae suppressions import` */
export function importSuppressionsCommand(suppressions: Command): void {
  const command = suppressions
    .command('import <file>')
    .description('add a provider’s opt-out feed (an id or slug per line), or a list that was exported before')
    .addOption(kindChoice('what the ids are', 'people'))
    .option('--origin <name>', 'the feed; under a provider’s name, numbers are that provider’s own ids', 'import')
    .action(
      withAdmin<Options, [string]>(async ({ admin, options, json }, file) => {
        const total = await importFile(admin, file, options)
        print(json, total, () => `${total.lines} lines read, ${total.added} names suppressed from now on.`)
      }),
    )
  examples(
    command,
    'vitae suppressions import opt-outs.txt --origin coresignal',
    'vitae suppressions import suppressions.ndjson',
  )
}

async function importFile(admin: AdminClient, file: string, { kind, origin }: Options): Promise<Total> {
  const total: Total = { lines: 0, added: 0, bad_lines: 0 }
  let batch: { line: number; text: string }[] = []
  const flush = async () => {
    const exported = batch.filter(({ text }) => text.startsWith('{'))
    const ids = batch.filter(({ text }) => !text.startsWith('{'))
    const body = { kind, origin, ids: ids.map(({ text }) => text), hashes: exported.map(readExported) }
    const result = await admin.ask('POST /suppressions/import', { body })
    total.added += result.added
    total.bad_lines += result.errors.length
    for (const { line, reason } of result.errors) process.stderr.write(`line ${ids[line - 1]?.line}: ${reason}\n`)
    batch = []
  }
  for await (const { line } of await readLines(file)) {
    total.lines++
    const text = line.trim()
    if (text !== '') batch.push({ line: total.lines, text })
    if (batch.length >= linesAtOnce) await flush()
  }
  if (batch.length > 0) await flush()
  return total
}

function readExported({ line, text }: { line: number; text: string }): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`Line ${line} is neither an id nor a line of an exported list.`)
  }
}
