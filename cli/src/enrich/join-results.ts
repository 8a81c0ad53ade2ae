import type { BatchResultRow, VitaeClient } from '@vitae/client'
import { CommandError } from '../command-error.ts'
import type { InputRow } from './input/input-row.ts'
import type { Input } from './input/read-rows.ts'
import type { BatchNote, JobOutput } from './job-output.ts'
import { KeptResults } from './kept-results.ts'
import { lookedOf, unlooked, type Looked } from './looked.ts'
import type { OutputFormat } from './output-format.ts'
import type { Progress } from './progress.ts'
import { questionOf, type Questions } from './questions.ts'
import { JobStopped } from './run-batches.ts'

interface Deps {
  client: VitaeClient
  input: Input
  idOf(row: InputRow): string
  questions: Questions
  format: OutputFormat
  output: JobOutput
  progress: Progress
  signal: AbortSignal
}

/** The rows that were written. */
export interface Written {
  rows: number
  found: number
  not_found: number
  failed: number
}

/**
 * Writes one output row per input row, in the same order, up to the first row without a result. The first row of a
 * question has its credits; its repetitions cost nothing.
 */
export async function joinResults(deps: Deps, batches: readonly BatchNote[]): Promise<Written> {
  const { input, idOf, format, output, progress, signal } = deps
  const written: Written = { rows: 0, found: 0, not_found: 0, failed: 0 }
  const results = new Results(deps, batches)
  try {
    output.append(format.header)
    for await (const row of input.rows()) {
      if (signal.aborted) throw new JobStopped('interrupted', { goesOn: true })
      const question = questionOf(row, idOf)
      const looked =
        question === '' ? unlooked('failed', row.problem ?? 'the column is empty') : await results.of(question)
      if (looked === null) break
      output.append(format.line(row, looked))
      written.rows++
      written[looked.status]++
      progress.write(written.rows)
    }
    return written
  } finally {
    results.close()
  }
}

/** Reads results in the order of the questions, and keeps those that are asked for again. */
class Results {
  readonly #questions: Questions
  readonly #stream: AsyncGenerator<Placed>
  readonly #kept = new KeptResults()
  #next = 0

  constructor({ client, questions, signal }: Deps, batches: readonly BatchNote[]) {
    this.#questions = questions
    this.#stream = allResults(client, batches, signal)
  }

  async of(question: string): Promise<Looked | null> {
    const place = this.#questions.places.get(question)
    const kept = place === undefined ? null : this.#kept.read(place)
    if (kept) return { ...kept, credits: 0 }
    if (place !== this.#next) throw new CommandError('The input file changed during the lookups.')
    const { value } = await this.#stream.next()
    // A cancelled batch leaves rows out.
    if (value?.place !== place) return null
    this.#next++
    const looked = lookedOf(value.row)
    if (this.#questions.repeated.has(place)) this.#kept.keep(place, looked)
    return looked
  }

  close(): void {
    this.#kept.close()
    void this.#stream.return(undefined)
  }
}

interface Placed {
  /** The place of the question. */
  place: number
  row: BatchResultRow
}

async function* allResults(
  client: VitaeClient,
  batches: readonly BatchNote[],
  signal: AbortSignal,
): AsyncGenerator<Placed, undefined> {
  let from = 0
  for (const { id, rows } of batches) {
    if (id === undefined) return
    for await (const row of client.batches.results(id, { signal })) yield { place: from + row.row - 1, row }
    from += rows
  }
}
