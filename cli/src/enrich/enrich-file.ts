import { VitaeClient, type RetryEvent } from '@vitae/client'
import type { Kind } from '@vitae/contract'
import { CommandError } from '../command-error.ts'
import { confirm } from '../terminal/confirm.ts'
import { card, print } from '../terminal/output.ts'
import { describeEstimate, highestPrice, previewBatches, publishedPrice } from './estimate.ts'
import type { InputRow } from './input/input-row.ts'
import type { Input } from './input/read-rows.ts'
import { JobOutput } from './job-output.ts'
import { joinResults, type Written } from './join-results.ts'
import type { OutputFormat } from './output-format.ts'
import { Progress } from './progress.ts'
import { readQuestions, type Questions } from './questions.ts'
import { runBatches, stopOf, type BatchOptions, type JobStopped, type Work } from './run-batches.ts'

/** A file to enrich, and how. */
export interface Job {
  kind: Kind
  input: Input
  idOf(row: InputRow): string
  /** Rows are matched, at the match price. */
  matched: boolean
  options: BatchOptions
  format: OutputFormat
  out: string
  baseUrl: string
  apiKey: string | null
  maxCredits: number | null
  json: boolean
  yes: boolean
}

/** Prices a file without a lookup. The upper bound assumes that every distinct question is found. */
export async function priceFile(job: Job): Promise<void> {
  const { kind, input, idOf, matched, baseUrl, apiKey, options } = job
  const { places, empty } = await readQuestions(input, idOf)
  const counts = { rows: input.totalRows, empty, distinct: places.size }
  const client = apiKey === null ? null : openClient(baseUrl, apiKey)
  const price = await (client ? highestPrice(client, matched ? 'match' : kind) : publishedPrice(kind, baseUrl))
  const sum = client
    ? (await previewBatches({ client, kind, options }, [...places.keys()])).sum
    : { most_credits: places.size * price }
  const summary = { ...counts, price, ...sum }
  print(job.json, summary, () => card(summary))
}

/** Looks up a file in batches, and writes its rows with the results. */
export async function enrichFile(job: Job & { apiKey: string }): Promise<void> {
  const { kind, input, idOf, options, maxCredits, out, yes: mayReplace } = job
  const questions = await readQuestions(input, idOf)
  const asked = [kind, options, questions.digest]
  const output = new JobOutput(out, { asked, mayReplace })
  try {
    const progress = new Progress({ total: questions.places.size, rows: input.totalRows })
    const client = openClient(job.baseUrl, job.apiKey, (until) => progress.wait(until))
    const signal = interruption()
    if (output.note) process.stderr.write(`Continuing the job of ${output.notePath}.\n`)
    const list = [...questions.places.keys()]
    const note = output.note ?? output.begin(await confirmPrice(job, { client, questions, list, signal }))
    const deps = { client, kind, options, maxCredits, output, progress, signal }
    const work = await runBatches({ ...deps, questions: list }, note)
    const { written, stopped } = await writeRows({ ...deps, job, questions, work, batches: note.batches })
    if (!stopped) output.finish()
    progress.end()
    report(job, output, { written, stopped, work })
  } finally {
    output.close()
  }
}

/** Shows the price of a new job and asks for confirmation. Returns how many questions each of its batches has. */
async function confirmPrice(
  { kind, input, options, maxCredits, yes }: Job,
  asked: { client: VitaeClient; questions: Questions; list: string[]; signal: AbortSignal },
): Promise<number[]> {
  const { client, questions, list, signal } = asked
  const { rows, sum } = await previewBatches({ client, kind, options }, list)
  const counts = { rows: input.totalRows, empty: questions.empty, distinct: list.length }
  process.stderr.write(`${describeEstimate({ ...counts, ...sum }, maxCredits)}\n`)
  await confirm({ yes, signal }, 'Go on?')
  return rows
}

type Writing = Omit<Parameters<typeof joinResults>[0], 'input' | 'idOf' | 'format'> & {
  job: Job
  work: Work
  batches: Parameters<typeof joinResults>[1]
}

/** Writes the finished rows. A command that is to end, or that reaches no service, writes none. */
async function writeRows({ job, work, batches, ...deps }: Writing): Promise<{
  written: Written
  stopped: JobStopped | null
}> {
  const nothing = { rows: 0, found: 0, not_found: 0, failed: 0 }
  if (work.stopped?.goesOn) return { written: nothing, stopped: work.stopped }
  const { input, idOf, format } = job
  try {
    return { written: await joinResults({ ...deps, input, idOf, format }, batches), stopped: work.stopped }
  } catch (error) {
    return { written: nothing, stopped: work.stopped ?? stopOf(error, deps) }
  }
}

/** Prints the sums; `credits` are those that the batches have spent, even if their rows are not written yet. */
function report(
  { json, out }: Job,
  { partial }: JobOutput,
  { written, stopped, work }: { written: Written; stopped: JobStopped | null; work: Work },
): void {
  const summary = { ...written, credits: work.credits, out, stopped: stopped?.message ?? null, batches: work.ids }
  print(json, summary, () => card(summary))
  if (stopped) {
    const next = stopped.first === null ? 'Give' : `${stopped.first} and give`
    const rows = written.rows > 0 ? ` The finished rows are in ${partial}.` : ''
    const last = work.ids.at(-1)
    const running = last && stopped.goesOn ? ` ${last} goes on in the service; the console can cancel it.` : ''
    throw new CommandError(
      `Stopped early (${stopped.message}). ${next} the same command again to continue.${running}${rows}`,
    )
  }
  if (written.failed > 0) throw new CommandError(`${written.failed} rows failed; their error column says why.`)
}

/** Ctrl-C ends the command at its next step. A second one ends the process at once. */
function interruption(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  return stop.signal
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
