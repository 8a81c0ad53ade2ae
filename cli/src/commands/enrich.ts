import { Argument, Option, type Command } from 'commander'
import { VitaeClient, type ProfileOptions } from '@vitae/client'
import type { Kind } from '@vitae/contract'
import { CommandError } from '../command-error.ts'
import { estimate } from '../enrich/estimate.ts'
import { identifierOf } from '../enrich/identifier-of.ts'
import { JobFile } from '../enrich/job-file.ts'
import { lookUp } from '../enrich/look-up.ts'
import { csvFormat, defaultFields, ndjsonFormat } from '../enrich/output-format.ts'
import { Pacer } from '../enrich/pacer.ts'
import { Progress } from '../enrich/progress.ts'
import { openInput } from '../enrich/read-rows.ts'
import { runEnrich } from '../enrich/run-enrich.ts'
import { card, print } from '../output.ts'
import { wholeNumber } from '../numbers.ts'

interface Options {
  column: string
  out: string
  key?: string
  url?: string
  format?: 'csv' | 'ndjson'
  concurrency: number
  maxCredits?: number
  fields?: string
  maxAge?: string
  contact: boolean
  network: boolean
  verifications: boolean
  dryRun: boolean
  json: boolean
  yes: boolean
}

const help = `
Examples:
  $ vitae enrich people leads.csv --column linkedin_url --out leads-enriched.csv
  $ vitae enrich companies accounts.csv --column domain_slug --out out.ndjson --max-credits 500
  $ vitae enrich people leads.csv --column linkedin_url --out out.csv --fields first_name,headline,experience.0.company_name
  $ cat ids.ndjson | vitae enrich people - --format ndjson --column id --out out.ndjson
  $ vitae enrich people leads.csv --column linkedin_url --out out.csv --dry-run

Interrupted or crashed? Give the same command again: it goes on where it stopped and pays for nothing twice.
Exit code 0 when every row is found or not found, 1 when some failed or the job stopped early.`

/** `vitae enrich`: a whole file through the client. */
export function enrichCommand(program: Command): void {
  program
    .command('enrich')
    .description('look up every row of a CSV or NDJSON file')
    .addArgument(new Argument('<kind>', 'what the rows are').choices(['people', 'companies']))
    .argument('<input>', 'a CSV or NDJSON file, or - for standard input')
    .requiredOption('--column <name>', 'the column with the slug, id or URL')
    .requiredOption('--out <file>', 'where the rows go: .csv or .ndjson')
    .option('--key <key>', 'the API key (or VITAE_API_KEY)')
    .addOption(new Option('--format <format>', 'of the input, where its name does not tell').choices(['csv', 'ndjson']))
    .option('--concurrency <n>', 'lookups at once', wholeNumber, 16)
    .option('--max-credits <n>', 'stop when so many credits are spent', wholeNumber)
    .option('--fields <paths>', 'fields of the record, dotted paths with commas')
    .option('--max-age <days>', 'the oldest stored copy that is good enough')
    .option('--contact', 'fill contact_info', false)
    .option('--network', 'fill network_info', false)
    .option('--verifications', 'fill verifications', false)
    .option('--dry-run', 'count the rows and price them, without one lookup', false)
    .addHelpText('after', help)
    .action(async (kind: Kind, input: string, _own: unknown, command: Command) =>
      enrich(kind, input, command.optsWithGlobals<Options>()),
    )
}

async function enrich(kind: Kind, path: string, options: Options): Promise<void> {
  const baseUrl = options.url ?? process.env['VITAE_URL'] ?? 'http://127.0.0.1:8080'
  const input = openInput(path, options.format)
  if (options.dryRun)
    return estimate({ kind, input, idOf: identifierOf(kind, options.column), baseUrl, json: options.json })

  const apiKey = options.key ?? process.env['VITAE_API_KEY']
  if (!apiKey) throw new CommandError('No API key: give --key, or set VITAE_API_KEY.', { exitCode: 2 })
  const fields = options.fields?.split(',').map((field) => field.trim()) ?? null
  const isCsv = /\.csv$/i.test(options.out)
  const lookupOptions = lookupOptionsOf(options)
  const file = new JobFile(
    options.out,
    { kind, path, column: options.column, fields, lookupOptions, isCsv },
    options.yes,
  )
  if (file.resumed) process.stderr.write(`Going on after ${file.mark.rows} rows of ${options.out}.\n`)

  const interrupted = new AbortController()
  process.once('SIGINT', () => {
    process.stderr.write('\nStopping: rows in flight are finished. Give the same command again to go on.\n')
    interrupted.abort()
  })
  const progress = new Progress(() => (input.totalBytes ? Math.min(1, input.bytesRead() / input.totalBytes) : null))
  const client = new VitaeClient({ apiKey, baseUrl, maxRetries: 8, timeoutMs: 300_000 })
  const needs = {
    client,
    pacer: new Pacer(),
    kind,
    job: file.mark.job,
    options: lookupOptions,
    signal: new AbortController().signal,
  }
  const { stopped } = await runEnrich({
    input,
    file,
    format: isCsv ? csvFormat(fields ?? defaultFields[kind]) : ndjsonFormat(fields),
    idOf: identifierOf(kind, options.column),
    concurrency: Math.max(1, options.concurrency),
    maxCredits: options.maxCredits ?? null,
    look: (id) => lookUp(needs, id),
    onRow: (looked) => progress.row(looked),
    signal: interrupted.signal,
  })
  progress.end()
  const { rows, credits, counts } = file.mark
  const summary = {
    rows,
    found: counts['found'] ?? 0,
    not_found: counts['not_found'] ?? 0,
    failed: counts['failed'] ?? 0,
    credits,
    out: options.out,
    stopped,
  }
  print(options.json, summary, () => card(summary))
  if (stopped !== null) throw new CommandError(`Stopped early (${stopped}). Give the same command again to go on.`)
  if (summary.failed > 0) throw new CommandError(`${summary.failed} rows failed; their error column says why.`)
}

function lookupOptionsOf(options: Options): ProfileOptions {
  return {
    ...(options.maxAge === undefined ? {} : { maxAgeDays: Number(options.maxAge) }),
    ...(options.contact ? { includeContactInfo: true } : {}),
    ...(options.network ? { includeNetworkInfo: true } : {}),
    ...(options.verifications ? { getVerificationDetails: true } : {}),
  }
}
