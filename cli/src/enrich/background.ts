import { type Batch, type BatchResultRow, type ProfileOptions, type VitaeClient, VitaeError } from '@vitae/client'
import type { Company, Kind, Person } from '@vitae/contract'
import { CommandError } from '../command-error.ts'
import { readAsked } from './identifier-of.ts'
import type { JobFile } from './job-file.ts'
import { JobStopped, unlooked, type Looked } from './look-up.ts'
import type { InputRow } from './input/input-row.ts'
import type { Input } from './input/read-rows.ts'

interface Deps {
  client: VitaeClient
  kind: Kind
  file: JobFile
  options: Omit<ProfileOptions, 'fields'>
  maxCredits: number | null
  signal: AbortSignal
  /** Called with the credits the batch has spent, including rows that are not downloaded yet. */
  onSpent(credits: number): void
}

/** The distinct identifiers of the input with their batch rows, and the last batch row that the output already has. */
async function rowsOfBatch(rows: AsyncIterable<InputRow>, idOf: (row: InputRow) => string, written: number) {
  const ids = new Map<string, number>()
  let lastWritten = 0
  let count = 0
  for await (const row of rows) {
    const id = row.problem === null ? idOf(row) : ''
    if (id !== '' && !ids.has(id)) ids.set(id, ids.size + 1)
    if (++count <= written) lastWritten = ids.size
  }
  return { ids, lastWritten }
}

/**
 * Submits the identifiers as a batch, waits for its end, and returns a reader of single results. The job stores the
 * batch id, so a repeated command waits for the same batch.
 */
async function runInBackground(
  deps: Deps,
  { ids, lastWritten }: Awaited<ReturnType<typeof rowsOfBatch>>,
): Promise<(id: string) => Promise<Looked>> {
  const { client, file, maxCredits, signal, onSpent } = deps
  const show = showProgress()
  const onProgress = (batch: Batch) => {
    onSpent(batch.credits_spent)
    show(batch)
  }
  try {
    const id = file.mark.batch ?? (await submit(deps, [...ids.keys()]))
    const known = await client.batches.get(id, { signal })
    if (known.status === 'paused' && known.max_credits !== maxCredits)
      await client.batches.resume(id, { maxCredits, signal })
    const batch = await client.batches.wait(id, { signal, onProgress })
    refuseUnfinished(batch)
    return resultReader(client, id, ids, lastWritten)
  } catch (error) {
    if (signal.aborted) throw new JobStopped('interrupted; the batch goes on in the service')
    if (error instanceof VitaeError) throw new JobStopped(`${error.code}: ${error.detail}`)
    throw error
  }
}

/** Submits the whole file. A failure is thrown by the first lookup, so the job ends like any other. */
export async function submitAll(
  deps: Deps,
  input: Input,
  idOf: (row: InputRow) => string,
): Promise<(id: string) => Promise<Looked>> {
  const rows = await rowsOfBatch((await input.open(deps.signal)).rows, idOf, deps.file.mark.rows)
  if (rows.ids.size === 0) return () => Promise.reject(new Error('there is nothing to look up'))
  try {
    return await runInBackground(deps, rows)
  } catch (error) {
    return async () => {
      throw error
    }
  }
}

async function submit({ client, kind, file, options, maxCredits, signal }: Deps, ids: string[]): Promise<string> {
  const limit = maxCredits === null ? {} : { maxCredits }
  const idempotencyKey = `enrich-${file.mark.job}`
  const { id } = await client.batches.create({
    kind,
    ids: ids.map(readAsked),
    ...limit,
    ...options,
    idempotencyKey,
    signal,
  })
  file.rememberBatch(id)
  process.stderr.write(
    `Submitted as ${id}. The batch continues if this command ends; run it again to wait for the results.\n`,
  )
  return id
}

function refuseUnfinished({ id, status, error, pause_reason: reason }: Batch): void {
  if (status === 'paused') throw new JobStopped(`${reason} by ${id}`, 'Raise --max-credits')
  if (status !== 'completed') throw new CommandError(`${id} ended as ${status}${error ? `: ${error}` : ''}.`)
}

function showProgress(): (batch: Batch) => void {
  let shown = ''
  return ({ total, counts, credits_spent: credits, status, pause_reason: reason, resumed_by: how }) => {
    const state = status === 'paused' ? `, paused (${reason}). ${how}` : ''
    const line = `${total - counts.waiting} of ${total} rows, ${credits} credits${state}`
    if (line === shown) return
    shown = line
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${line}` : `${line}\n`)
    if (counts.waiting === 0 && process.stderr.isTTY) process.stderr.write('\n')
  }
}

/**
 * Reads results in input order from one stream; any other order opens a new stream. The first input row of an
 * identifier carries its credits. Later rows cost nothing, even after an interruption.
 */
function resultReader(client: VitaeClient, id: string, rows: ReadonlyMap<string, number>, lastWritten: number) {
  let paid = lastWritten
  let stream = client.batches.results(id)
  let at = 0
  return async (identifier: string): Promise<Looked> => {
    const row = rows.get(identifier)
    if (row === undefined) throw new CommandError('The input has changed since the job began.')
    if (row !== at + 1) {
      await stream.return()
      stream = client.batches.results(id, { after: row - 1 })
    }
    const { value } = await stream.next()
    if (!value) throw new JobStopped(`${id} has no row ${row} any more`)
    at = row
    const credits = row > paid ? value.credits : 0
    paid = Math.max(paid, row)
    return lookedOf({ ...value, credits })
  }
}

function lookedOf(row: BatchResultRow): Looked {
  const { status, error, detail, source, fetched_at, credits, likelihood } = row
  if (status === 'not_found') return unlooked('not_found', error === 'not_found' ? null : error)
  if (status !== 'found') return unlooked('failed', detail === null ? error : `${error}: ${detail}`)
  const matched_on = row.matched_on?.join(',') ?? null
  const record = row.record as Person | Company
  return { status, error, source, fetched_at, credits, likelihood, matched_on, replayed: false, record }
}
