import { Argument, Option, type Command } from 'commander'
import { VitaeClient, type ProfileOptions } from '@vitae/client'
import type { Kind } from '@vitae/contract'
import { CommandError } from '../../command-error.ts'
import { estimate, priceOf } from '../../enrich/estimate.ts'
import { identifierOf } from '../../enrich/identifier-of.ts'
import { JobFile } from '../../enrich/job-file.ts'
import { lookUp } from '../../enrich/look-up.ts'
import { csvFormat, defaultFields, ndjsonFormat } from '../../enrich/output-format.ts'
import { Pacer } from '../../enrich/pacer.ts'
import { Progress } from '../../enrich/progress.ts'
import { openInput } from '../../enrich/read-rows.ts'
import { runEnrich } from '../../enrich/run-enrich.ts'
import { card, print } from '../../terminal/output.ts'
import { days, wholeNumber } from '../../numbers.ts'

interface Options {
  column: string
  out: string
  key?: string
  url?: string
  format?: 'csv' | 'ndjson'
  concurrency: number
  maxCredits?: number
  fields?: string
  maxAge?: number
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

Interrupted or crashed? Give the same command again: it goes on where it stopped and pays for nothing twice. Only
--max-credits, --concurrency, --key and --url may differ. What it remembers is in a file beside the output, OUT.job.
An input column with the name of an output column (status, error, source...) is written as input_NAME.
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
    .addOption(new Option('--format <format>', 'of the input, if its name does not show it').choices(['csv', 'ndjson']))
    .option('--concurrency <n>', 'lookups at once', wholeNumber, 16)
    .option('--max-credits <n>', 'stop when so many credits are spent', wholeNumber)
    .option('--fields <paths>', 'fields of the record, dotted paths with commas')
    .option('--max-age <days>', 'the oldest stored copy that is good enough', days)
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
  const idOf = identifierOf(kind, options.column)
  if (options.dryRun) return estimate({ kind, input, idOf, baseUrl, json: options.json })

  const client = openClient(baseUrl, options.key ?? process.env['VITAE_API_KEY'])
  const isCsv = isCsvName(options.out)
  const fields = fieldsOf(options.fields)
  const lookupOptions = lookupOptionsOf(options)
  const maxCredits = options.maxCredits ?? null
  const settings = { kind, path, column: options.column, fields, lookupOptions, isCsv }
  const file = new JobFile(options.out, settings, options.yes)
  if (file.resumed) process.stderr.write(`Going on after ${file.mark.rows} rows of ${options.out}.\n`)
  // Only these two count money before it is spent.
  const price = file.resumed || maxCredits !== null ? await priceOf(kind, baseUrl) : 0

  const { stop, abort } = interruptions()
  const deps = { client, pacer: new Pacer(), kind, job: file.mark.job, options: lookupOptions, stop, abort }
  const progress = new Progress(input.totalBytes)
  const { stopped } = await runEnrich({
    input,
    file,
    format: isCsv ? csvFormat(fields ?? defaultFields[kind]) : ndjsonFormat(fields),
    idOf,
    concurrency: Math.max(1, options.concurrency),
    maxCredits,
    price,
    look: (id) => lookUp(deps, id),
    onRow: (row, looked) => progress.row(row, looked),
    signal: stop,
  })
  progress.end()
  report(file, options, stopped)
}

function report({ mark }: JobFile, { json, out }: Options, stopped: string | null): void {
  const { rows, credits, counts } = mark
  const { found = 0, not_found = 0, failed = 0 } = counts
  const summary = { rows, found, not_found, failed, credits, out, stopped }
  print(json, summary, () => card(summary))
  if (stopped !== null) throw new CommandError(`Stopped early (${stopped}). Give the same command again to go on.`)
  if (failed > 0) throw new CommandError(`${failed} rows failed; their error column says why.`)
}

/** How long calls under way may take once the job is stopped. What they cost is not lost: they are replayed. */
const graceMs = 20_000

/** Ctrl-C lets the rows in flight end, but not for ever; a second one ends the process at once. */
function interruptions(): { stop: AbortSignal; abort: AbortSignal } {
  const stop = new AbortController()
  const abort = new AbortController()
  const interrupt = () => {
    if (stop.signal.aborted) return
    process.stderr.write('\nStopping: rows in flight are finished. Give the same command again to go on.\n')
    stop.abort()
    setTimeout(() => abort.abort(), graceMs).unref()
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  return { stop: stop.signal, abort: abort.signal }
}

function openClient(baseUrl: string, apiKey: string | undefined): VitaeClient {
  if (!apiKey) throw new CommandError('No API key: give --key, or set VITAE_API_KEY.', { exitCode: 2 })
  try {
    return new VitaeClient({ apiKey, baseUrl, maxRetries: 6, timeoutMs: 300_000 })
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(error.message, { exitCode: 2, cause: error })
    throw error
  }
}

function isCsvName(out: string): boolean {
  if (/\.csv$/i.test(out)) return true
  if (/\.(ndjson|jsonl)$/i.test(out)) return false
  throw new CommandError('--out must end in .csv, .ndjson or .jsonl: its name chooses the format.', { exitCode: 2 })
}

function fieldsOf(text: string | undefined): string[] | null {
  if (text === undefined) return null
  const fields = text.split(',').map((field) => field.trim())
  if (fields.includes('')) throw new CommandError('--fields has an empty name between its commas.', { exitCode: 2 })
  return [...new Set(fields)]
}

function lookupOptionsOf(options: Options): ProfileOptions {
  return {
    ...(options.maxAge === undefined ? {} : { maxAgeDays: options.maxAge }),
    ...(options.contact ? { includeContactInfo: true } : {}),
    ...(options.network ? { includeNetworkInfo: true } : {}),
    ...(options.verifications ? { getVerificationDetails: true } : {}),
  }
}
