import { Argument, Option, type Command } from 'commander'
import type { Kind } from '@vitae/contract'
import { defaultFields } from '@vitae/service/record-fields'
import { readSecret } from '@vitae/service/secret'
import { findServiceUrl } from '../../admin/admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { readFields } from '../../enrich/check-fields.ts'
import { enrichFile, priceFile } from '../../enrich/enrich-file.ts'
import { identifierOf, matchOf } from '../../enrich/identifier-of.ts'
import { readDelimiter } from '../../enrich/input/csv-rows.ts'
import { type MatchOptions, readMatchColumns } from '../../enrich/input/match-columns.ts'
import { openInput, type Input } from '../../enrich/input/read-rows.ts'
import { readEncoding } from '../../enrich/input/read-text.ts'
import { refuseInputAsOutput } from '../../enrich/job-output.ts'
import { csvFormat, ndjsonFormat } from '../../enrich/output-format.ts'
import type { BatchOptions } from '../../enrich/run-batches.ts'
import { days, wholeNumber } from '../../numbers.ts'
import { enrichHelp } from './enrich-help.ts'

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
  maxCredits?: number
  background?: true
  concurrency?: number
  fields?: string
  maxAge?: number
  contact: boolean
  network: boolean
  verifications: boolean
  dryRun: boolean
  json: boolean
  yes: boolean
}

/** `vitae enrich`: looks up a whole file in batches of the service. */
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
    .option('--delimiter-out <character>', 'of a CSV output: a character, comma, semicolon or tab; default: a comma')
    .option('--bom', 'begin a CSV output with a byte order mark, so that Excel reads it as UTF-8', false)
    .option('--max-credits <n>', 'stop after spending this many credits', wholeNumber)
    .option('--fields <paths>', 'fields of the record, dotted paths with commas')
    .option('--max-age <days>', 'maximum age of a stored copy, in days', days)
    .option('--contact', 'fill contact_info', false)
    .option('--network', 'fill network_info', false)
    .option('--verifications', 'fill verifications', false)
    .addOption(new Option('--background').hideHelp())
    .addOption(new Option('--concurrency <n>').hideHelp().argParser(wholeNumber))
    .option('--dry-run', 'count the rows and price them, without one lookup', false)
    .addHelpText('after', enrichHelp)
    .action(async (kind: Kind, input: string, _own: unknown, command: Command) =>
      enrich(kind, input, command.optsWithGlobals<Options>()),
    )
}

async function enrich(kind: Kind, path: string, options: Options): Promise<void> {
  const { out, maxCredits = null, json, yes, dryRun } = options
  const isCsv = isCsvName(out)
  const fields = readFields(kind, options.fields)
  const writing = readWriting(options, isCsv)
  const match = readMatchColumns(kind, options)
  refuseInputAsOutput(path, out)
  if (options.background !== undefined || options.concurrency !== undefined)
    process.stderr.write('--background and --concurrency have no effect any more: the service looks up every file.\n')
  const baseUrl = await findServiceUrl(options)
  const input = await openGivenInput(path, options, match ? Object.values(match) : [options.column ?? ''])
  const idOf = match ? matchOf(match) : identifierOf(kind, options.column ?? '')
  const matched = match !== null
  const paths = fields ?? (isCsv ? defaultFields[kind] : null)
  const format = isCsv
    ? csvFormat(input.columns, paths ?? [], { ...writing, matched })
    : ndjsonFormat(paths, { matched })
  const apiKey = options.key ?? readSecret(process.env, 'VITAE_API_KEY')
  const asked = { ...lookupOptionsOf(options), ...(paths && { paths }) }
  const job = { kind, input, idOf, matched, options: asked, format, out, baseUrl, apiKey, maxCredits, json, yes }
  if (dryRun) return priceFile(job)
  if (!apiKey) throw new CommandError('No API key: give --key, or set VITAE_API_KEY.', { exitCode: 2 })
  return enrichFile({ ...job, apiKey })
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
  if (input.encoding !== 'utf-8' && encoding === undefined)
    process.stderr.write(`${path} is read as ${input.encoding}; --encoding chooses another.\n`)
  return input
}

function isCsvName(out: string): boolean {
  if (/\.csv$/i.test(out)) return true
  if (/\.(ndjson|jsonl)$/i.test(out)) return false
  throw new CommandError('--out must end in .csv, .ndjson or .jsonl: its name chooses the format.', { exitCode: 2 })
}

function lookupOptionsOf(options: Options): BatchOptions {
  return {
    ...(options.maxAge === undefined ? {} : { maxAgeDays: options.maxAge }),
    ...(options.contact ? { includeContactInfo: true } : {}),
    ...(options.network ? { includeNetworkInfo: true } : {}),
    ...(options.verifications ? { getVerificationDetails: true } : {}),
  }
}
