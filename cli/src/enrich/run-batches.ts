import { setTimeout as sleep } from 'node:timers/promises'
import { type Batch, type NewBatch, type VitaeClient, VitaeError } from '@vitae/client'
import type { Kind } from '@vitae/contract'
import { readAsked } from './identifier-of.ts'
import type { BatchNote, JobOutput, Note } from './job-output.ts'
import type { Progress } from './progress.ts'

/** How the questions of a job are looked up. */
export type BatchOptions = Omit<NewBatch, 'kind' | 'ids' | 'maxCredits' | 'idempotencyKey' | 'signal'>

interface Deps {
  client: VitaeClient
  kind: Kind
  questions: readonly string[]
  options: BatchOptions
  maxCredits: number | null
  output: JobOutput
  progress: Progress
  signal: AbortSignal
}

/** A job that stopped before its end. The same command continues it. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped'
  /** The user's next step before that, if known. */
  readonly first: string | null
  /** The batch goes on, and its results can be read later. */
  readonly goesOn: boolean

  constructor(message: string, { first = null, goesOn = false }: { first?: string | null; goesOn?: boolean } = {}) {
    super(message)
    this.first = first
    this.goesOn = goesOn
  }
}

/** The batches of a job, and their spending so far. */
export interface Work {
  ids: string[]
  credits: number
  stopped: JobStopped | null
}

/** A small file ends in less than the second that is usual between two polls. */
const pollMs = 500

/** These pauses end by themselves, without a person. */
const passing: ReadonlySet<string | null> = new Set(['upstream_unavailable', 'upstream_allowance_exceeded'])

/**
 * Submits the batches of a job one after the other and waits for each. A batch of an earlier run is waited for, not
 * submitted again.
 */
export async function runBatches(deps: Deps, note: Note): Promise<Work> {
  const work: Work = { ids: [], credits: 0, stopped: null }
  let from = 0
  for (const [index, part] of note.batches.entries()) {
    const limit = deps.maxCredits === null ? null : Math.max(0, deps.maxCredits - work.credits)
    let spent = 0
    try {
      part.id ??= await submit(deps, note, { index, part, from, limit })
      work.ids.push(part.id)
      const { id } = part
      await patiently(deps, () => takeUp(deps, id, limit))
      const onProgress = (batch: Batch) => {
        spent = batch.credits_spent
        deps.progress.show(batch, { rows: from, credits: work.credits })
        refusePause(batch, deps.maxCredits)
      }
      const { signal, client, output } = deps
      refuseUnfinished(await patiently(deps, () => client.batches.wait(id, { signal, onProgress, pollMs })), output)
    } catch (error) {
      work.stopped = stopOf(error, deps)
    }
    work.credits += spent
    from += part.rows
    if (work.stopped) return work
  }
  return work
}

interface Part {
  index: number
  part: BatchNote
  /** The place of its first question. */
  from: number
  limit: number | null
}

async function submit(
  { client, kind, questions, options, output, signal }: Deps,
  note: Note,
  { index, part, from, limit }: Part,
): Promise<string> {
  output.save()
  const ids = questions.slice(from, from + part.rows).map(readAsked)
  const idempotencyKey = `enrich-${note.key}-${index}`
  const limited = limit === null ? {} : { maxCredits: limit }
  const { id } = await client.batches.create({ kind, ids, ...limited, ...options, idempotencyKey, signal })
  part.id = id
  output.save()
  process.stderr.write(
    `Submitted as ${id}. If this command ends, the batch continues in the service: run the command again to follow it.\n`,
  )
  return id
}

/** A paused batch of an earlier run tries again at once, with the limit of this run. */
async function takeUp({ client, signal }: Deps, id: string, limit: number | null): Promise<void> {
  const { status, max_credits: known } = await client.batches.get(id, { signal })
  const isOpen = status === 'queued' || status === 'running' || status === 'paused'
  if (isOpen && (status === 'paused' || known !== limit)) await client.batches.resume(id, { maxCredits: limit, signal })
}

/** Waits as long as the rate limit of the key says: a batch goes on meanwhile. */
async function patiently<T>({ progress, signal }: Deps, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      const seconds = error instanceof VitaeError && error.status === 429 ? error.retryAfterSeconds : null
      if (seconds === null) throw error
      progress.wait(Date.now() + seconds * 1_000)
      await sleep(seconds * 1_000, undefined, { signal })
    }
  }
}

/** A pause that somebody has to end stops the command, so that a script does not wait for ever. */
function refusePause({ id, status, pause_reason: reason, resumed_by: how }: Batch, maxCredits: number | null): void {
  if (status !== 'paused' || passing.has(reason)) return
  if (reason === 'max_credits_reached')
    throw new JobStopped(`--max-credits ${maxCredits} is reached`, { first: 'Raise --max-credits' })
  throw new JobStopped(`${reason} in ${id}. ${how}`)
}

function refuseUnfinished({ id, status, error }: Batch, { notePath }: JobOutput): void {
  if (status === 'completed') return
  throw new JobStopped(`${id} is ${status}${error === null ? '' : `: ${error}`}`, { first: startOver(notePath) })
}

function startOver(notePath: string): string {
  return `To look up and pay for all rows again, remove ${notePath}`
}

/** A failure that ends the command, but not its batches. A bug is thrown. */
export function stopOf(error: unknown, { signal, output }: Pick<Deps, 'signal' | 'output'>): JobStopped {
  if (signal.aborted) return new JobStopped('interrupted', { goesOn: true })
  if (error instanceof JobStopped) return error
  if (!(error instanceof VitaeError)) throw error
  if (error.code === 'not_found') return new JobStopped('the batch has expired', { first: startOver(output.notePath) })
  const wait = error.retryAfterSeconds === null ? '' : `, wait ${error.retryAfterSeconds} s`
  return new JobStopped(`${error.code}: ${error.detail}${wait}`, { goesOn: true })
}
