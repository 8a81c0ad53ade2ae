import { Argument, Option, type Command } from 'commander'
import { VitaeClient, type ProfileOptions, type RetryEvent } from '@vitae/client'
import type { Kind } from '@vitae/contract'
import { readSecret } from '@vitae/service/secret'
import { findServiceUrl } from '../../admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { readFields } from '../../enrich/check-fields.ts'
import { defaultFields } from '@vitae/service/record-fields'
import { askFirst } from '../../enrich/ask-first.ts'
import { submitAll } from '../../enrich/background.ts'
import { readDelimiter } from '../../enrich/input/csv-rows.ts'
import { estimate, highestPrice } from '../../enrich/estimate.ts'
import { identifierOf, matchOf } from '../../enrich/identifier-of.ts'
import { type MatchColumns, type MatchOptions, readMatchColumns } from '../../enrich/input/match-columns.ts'
import { interruptions } from '../../enrich/interruptions.ts'
import { JobFile, refuseInputAsOutput } from '../../enrich/job-file.ts'
import { lookUp, type Looked } from '../../enrich/look-up.ts'
import { csvFormat, ndjsonFormat } from '../../enrich/output-format.ts'
import { Pacer } from '../../enrich/pacer.ts'
import { Progress } from '../../enrich/progress.ts'
import { openInput, type Input } from '../../enrich/input/read-rows.ts'
import { readEncoding } from '../../enrich/input/read-text.ts'
import { runEnrich, type Ended } from '../../enrich/run-enrich.ts'
import { card, print } from '../../terminal/output.ts'
import { enrichHelp } from './enrich-help.ts'
import { days, wholeNumber } from '../../numbers.ts'

interface Options extends MatchOptions {
  column?: string
  out: string
  key?: string
  url?: string
  format?: 'csv' | 'ndjson'
  encoding?: string
  delimiter?: string
  delimiterOut?: string
  bom: boolean
  concurrency: number
  maxCredits?: number
  fields?: string
  maxAge?: number
  contact: boolean
  network: boolean
  verifications: boolean
  dryRun: boolean
  background: boolean
  json: boolean
  yes: boolean
}

/** `vitae enrich`: looks up a whole file through the client. */
export function enrichCommand(program: Command): void {
  program
    .command('enrich')
    .description('look up every row of a CSV or NDJSON file')
    .addArgument(new Argument('<kind>', 'what the rows are').choices(['people', 'companies']))
    .argument('<input>', 'a CSV or NDJSON file, or - for standard input')
    .option('--column <name>', 'the column with the slug, id or URL')
    .option('--email-column <name>', 'match people by the e-mail address in this column')
    .option('--phone-column <name>', 'match people by the phone number in this column')
    .option('--name-column <name>', 'match by the name in this column; people also need their company or its domain')
    .option('--first-name-column <name>', 'with --last-name-column, in place of --name-column')
    .option('--last-name-column <name>', 'with --first-name-column, in place of --name-column')
    .option('--company-column <name>', 'the name of the employer')
    .option('--domain-column <name>', 'the domain of the company, or of the employer')
    .option('--country-column <name>', 'the country of the company, two letters')
    .requiredOption('--out <file>', 'where the rows go: .csv or .ndjson')
    .option('--key <key>', 'the API key (or VITAE_API_KEY)')
    .addOption(new Option('--format <format>', 'of the input, if its name does not show it').choices(['csv', 'ndjson']))
    .option('--encoding <name>', 'of the input, if it is not detected: utf-8, utf-16le, utf-16be, windows-1252...')
    .option('--delimiter <character>', 'of a CSV input, if it is not detected: a character, comma, semicolon or tab')
    .option(
      '--delimiter-out <character>',
      'of a CSV output: a character, comma, semicolon or tab; a comma unless given',
    )
    .option('--bom', 'begin a CSV output with a byte order mark, so that Excel reads it as UTF-8', false)
    .option('--concurrency <n>', 'lookups at once', wholeNumber, 16)
    .option('--max-credits <n>', 'stop after spending this many credits', wholeNumber)
    .option('--fields <paths>', 'fields of the record, dotted paths with commas')
    .option('--max-age <days>', 'the oldest stored copy that is good enough', days)
    .option('--contact', 'fill contact_info', false)
    .option('--network', 'fill network_info', false)
    .option('--verifications', 'fill verifications', false)
    .option('--background', 'hand the work over to the service as a batch, wait for it and download it', false)
    .option('--dry-run', 'count the rows and price them, without one lookup', false)
    .addHelpText('after', enrichHelp)
    .action(async (kind: Kind, input: string, _own: unknown, command: Command) =>
      enrich(kind, input, command.optsWithGlobals<Options>()),
    )
}

async function enrich(kind: Kind, path: string, options: Options): Promise<void> {
  const isCsv = isCsvName(options.out)
  const fields = readFields(kind, options.fields)
  const writing = readWriting(options, isCsv)
  const match = readMatchColumns(kind, options)
  refuseInputAsOutput(path, options.out)
  if (options.background && path === '-')
    throw new CommandError('--background reads its input twice: give a file.', { exitCode: 2 })
  const baseUrl = await findServiceUrl(options)
  const input = await openGivenInput(path, options, match ? Object.values(match) : [options.column ?? ''])
  const idOf = match ? matchOf(match) : identifierOf(kind, options.column ?? '')
  const asked = lookupOptionsOf(options)
  const matched = match !== null
  const job = { kind, input, idOf, matched, baseUrl, options: asked, background: options.background }
  const apiKey = options.key ?? readSecret(process.env, 'VITAE_API_KEY')
  if (options.dryRun) {
    const summary = await estimate({ ...job, client: apiKey ? openClient(baseUrl, apiKey) : null })
    return print(options.json, summary, () => card(summary))
  }
  if (!apiKey) throw new CommandError('No API key: give --key, or set VITAE_API_KEY.', { exitCode: 2 })
  const { stop, abort } = interruptions()
  const { columns, rows } = await input.open(stop)
  const format = isCsv
    ? csvFormat(columns, fields ?? defaultFields[kind], { ...writing, matched })
    : ndjsonFormat(fields, { matched })
  const file = openJob(kind, path, options, { fields, match, isCsv, header: format.header })
  const { maxCredits = null, yes } = options
  const progress = new Progress(input.totalRows, file.mark.rows)
  const onWait = (until: number) => progress.wait(until)
  const client = openClient(baseUrl, apiKey, onWait)
  // A pipe can be read only once, so its price cannot be estimated.
  if (input.totalRows !== null)
    await askFirst({ file, yes, maxCredits, signal: stop, estimate: () => estimate({ ...job, client }) })
  const common = { rows, file, format, idOf, onRow: (looked: Looked) => progress.row(looked), signal: stop }
  let spent: number | null = null
  if (options.background) {
    const onSpent = (credits: number) => (spent = credits)
    const look = await submitAll({ client, kind, file, options: asked, maxCredits, signal: stop, onSpent }, input, idOf)
    const ended = await runEnrich({ ...common, concurrency: 1, maxCredits: null, price: 0, look })
    progress.end()
    return report(file, options, ended, spent)
  }
  // Only a resume and --max-credits need the price in advance.
  const price = file.resumed || maxCredits !== null ? await highestPrice(client, matched ? 'match' : kind) : 0
  const deps = { client, pacer: new Pacer(onWait), kind, job: file.mark.job, options: asked, stop, abort }
  const concurrency = Math.max(1, options.concurrency)
  const ended = await runEnrich({ ...common, concurrency, maxCredits, price, look: (id) => lookUp(deps, id) })
  progress.end()
  report(file, options, ended, null)
}

/** The delimiter and byte order mark of a CSV output. */
function readWriting({ delimiterOut, bom }: Options, isCsv: boolean): { delimiter?: string; bom: boolean } {
  if (!isCsv && (bom || delimiterOut !== undefined))
    throw new CommandError('--delimiter-out and --bom are for a CSV output.', { exitCode: 2 })
  return { bom, ...(delimiterOut !== undefined && { delimiter: readDelimiter(delimiterOut, '--delimiter-out') }) }
}

/** Opens the input, and reports a detected encoding other than UTF-8. */
async function openGivenInput(path: string, options: Options, columns: readonly string[]): Promise<Input> {
  const encoding = options.encoding === undefined ? undefined : readEncoding(options.encoding)
  const delimiter = options.delimiter === undefined ? undefined : readDelimiter(options.delimiter, '--delimiter')
  const { format } = options
  const input = await openInput(path, { columns, format, encoding, delimiter })
  if (input.encoding !== null && input.encoding !== 'utf-8' && encoding === undefined)
    process.stderr.write(`${path} is read as ${input.encoding}; --encoding chooses another.\n`)
  return input
}

function openJob(
  kind: Kind,
  path: string,
  options: Options,
  output: { fields: string[] | null; match: MatchColumns | null; isCsv: boolean; header: string },
): JobFile {
  const { column, encoding, delimiter, delimiterOut, bom, out, yes, background } = options
  const { fields, match, isCsv, header } = output
  const lookupOptions = lookupOptionsOf(options)
  const settings = {
    kind,
    path,
    column,
    fields,
    lookupOptions,
    isCsv,
    encoding,
    delimiter,
    ...(delimiterOut !== undefined && { delimiterOut }),
    ...(bom && { bom }),
    ...(background && { background }),
    ...(match && { match }),
  }
  const file = new JobFile(out, { settings, header, mayReplace: yes })
  if (file.resumed) process.stderr.write(`Resuming after ${file.mark.rows} rows of ${file.partial}.\n`)
  return file
}

/** `spent` is the batch's total from the service: it may include rows that are not downloaded yet. */
function report(
  { mark, partial }: JobFile,
  { json, out }: Options,
  { stopped, first }: Ended,
  spent: number | null,
): void {
  const { rows, credits: written, counts } = mark
  const credits = spent ?? written
  const { found = 0, not_found = 0, failed = 0 } = counts
  const summary = { rows, found, not_found, failed, credits, out, stopped }
  print(json, summary, () => card(summary))
  if (stopped !== null) {
    const next = first ? `${first} and give` : 'Give'
    throw new CommandError(
      `Stopped early (${stopped}). ${next} the same command again to continue. The finished rows are in ${partial}.`,
    )
  }
  if (failed > 0) throw new CommandError(`${failed} rows failed; their error column says why.`)
}

function openClient(baseUrl: string, apiKey: string, onWait?: (until: number) => void): VitaeClient {
  const onRetry = ({ error, delayMs }: RetryEvent) => {
    if (error.status === 429) onWait?.(Date.now() + delayMs)
  }
  try {
    return new VitaeClient({ apiKey, baseUrl, maxRetries: 6, timeoutMs: 300_000, onRetry })
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

function lookupOptionsOf(options: Options): ProfileOptions {
  return {
    ...(options.maxAge === undefined ? {} : { maxAgeDays: options.maxAge }),
    ...(options.contact ? { includeContactInfo: true } : {}),
    ...(options.network ? { includeNetworkInfo: true } : {}),
    ...(options.verifications ? { getVerificationDetails: true } : {}),
  }
}
