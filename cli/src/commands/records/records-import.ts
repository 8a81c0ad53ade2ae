import type { AdminAnswer } from '@vitae/contract/admin'
import type { Kind } from '@vitae/contract'
import type { Command } from 'commander'
import type { AdminClient } from '../../admin/admin-client.ts'
import { examples } from '../../examples.ts'
import { kindChoice } from '../../options.ts'
import { print } from '../../terminal/output.ts'
import { ProgressBar } from '../../terminal/progress-bar.ts'
import { readLines } from '../../read-lines.ts'
import { withAdmin } from '../../admin/with-admin.ts'

interface Options {
  from?: string
  kind?: Kind
  fetchedAt?: string
  fetchedAtField?: string
}

type Report = AdminAnswer<'importRecords'>

interface Total extends Report {
  lines: number
  bad_lines: number
}

const linesAtOnce = 200
const bytesAtOnce = 4 * 1024 * 1024
const errorsKept = 1_000

/** `vitae records import` */
export function importCommand(records: Command): void {
  const command = records
    .command('import <file>')
    .description('load a dataset, one JSON record per line; - reads standard input')
    .option('--from <provider>', 'the lines are payloads of this provider, as you got them from it')
    .addOption(kindChoice('what the lines are, if they do not say so'))
    .option('--fetched-at <time>', 'when the data was fetched: a date, an ISO 8601 time, or how long ago')
    .option('--fetched-at-field <field>', 'the field of each line that holds that time, such as meta.scraped_at')
    .action(
      withAdmin<Options, [string]>(async ({ admin, options, json }, file) => {
        const total = await importFile(admin, file, options)
        print(json, total, () => summary(total))
      }),
    )
  examples(
    command,
    'vitae records import people.ndjson --fetched-at 2026-01-31',
    'vitae records import people.ndjson --fetched-at-field meta.scraped_at',
    'vitae records import --from coresignal --kind people employees.ndjson',
    'zcat dataset.ndjson.gz | vitae records import --kind companies --fetched-at 2026-01-31T06:00:00Z -',
  )
}

/** Imports the file a few lines at a time, so memory does not depend on its size. */
async function importFile(admin: AdminClient, file: string, options: Options) {
  const { from = null, kind = null, fetchedAt = null, fetchedAtField = null } = options
  const lines = await readLines(file)
  const bar = new ProgressBar()
  const total: Total = {
    lines: 0,
    saved: 0,
    older: 0,
    suppressed: 0,
    unchanged: 0,
    bad_lines: 0,
    errors: [],
    unread: [],
  }
  let batch: string[] = []
  let batchBytes = 0
  let read = 0
  const flush = async () => {
    if (batch.length === 0) return
    const age = { fetched_at: fetchedAt, fetched_at_field: fetchedAtField }
    const body = { kind, provider: from, ...age, lines: batch }
    add(total, await admin.ask('POST /records/import', { body }), batch.length, file)
    bar.show(
      lines.size ? read / lines.size : null,
      `${total.lines} lines, ${total.saved} saved, ${total.bad_lines} bad`,
    )
    batch = []
    batchBytes = 0
  }
  for await (const { line, bytes } of lines) {
    batch.push(line)
    batchBytes += line.length
    read = bytes
    if (batch.length >= linesAtOnce || batchBytes >= bytesAtOnce) await flush()
  }
  await flush()
  bar.end()
  return total
}

function add(total: Total, report: Report, count: number, file: string): void {
  for (const { line, reason } of report.errors) {
    const error = { line: total.lines + line, reason }
    process.stderr.write(`${named(file)}line ${error.line}: ${reason}\n`)
    total.bad_lines++
    if (total.errors.length < errorsKept) total.errors.push(error)
  }
  for (const { line, field } of report.unread) {
    const unread = { line: total.lines + line, field }
    process.stderr.write(`${named(file)}line ${unread.line}: ${field} cannot be read and is left out\n`)
    if (total.unread.length < errorsKept) total.unread.push(unread)
  }
  total.lines += count
  total.saved += report.saved
  total.older += report.older
  total.suppressed += report.suppressed
  total.unchanged += report.unchanged
}

/** The file's prefix in messages; standard input has no name. */
function named(file: string): string {
  return file === '-' ? '' : `${file}, `
}

function summary({ lines, saved, older, suppressed, unchanged, bad_lines: bad }: Total): string {
  const notes = [
    `${saved} saved`,
    ...(older > 0 ? [`${older} older than the stored record, kept in its history`] : []),
    `${unchanged} already known`,
    ...(suppressed > 0 ? [`${suppressed} suppressed`] : []),
    ...(bad > 0 ? [`${bad} bad lines skipped`] : []),
  ]
  return `${lines} lines read: ${notes.join(', ')}.`
}
