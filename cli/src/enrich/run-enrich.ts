import { CommandError } from '../command-error.ts'
import type { JobFile } from './job-file.ts'
import { JobStopped, unlooked, type Looked } from './look-up.ts'
import { LookupCache } from './lookup-cache.ts'
import { LostPayments } from './lost-payments.ts'
import type { OutputFormat } from './output-format.ts'
import type { InputRow } from './input/input-row.ts'

interface Deps {
  rows: AsyncIterable<InputRow>
  file: JobFile
  format: OutputFormat
  /** The identifier of a row, the same for all spellings. */
  idOf(row: InputRow): string
  concurrency: number
  maxCredits: number | null
  /** The price of a found row. */
  price: number
  look(id: string): Promise<Looked>
  onRow(looked: Looked): void
  signal: AbortSignal
}

export interface Ended {
  /** The reason for an early stop; null if every row is done. */
  stopped: string | null
  /** The user's next step before a resume, if any. */
  first?: string | null
}

/**
 * Looks up the input with `concurrency` calls at a time, and writes one output row per input row in the same order. So
 * a resume only skips the rows that the output has.
 */
export async function runEnrich(deps: Deps): Promise<Ended> {
  const { file, signal, maxCredits } = deps
  const work = new Work(deps)
  try {
    for await (const row of deps.rows) {
      if (work.skips(row)) continue
      if (signal.aborted) break
      if (!(await work.affords())) throw new JobStopped(`--max-credits ${maxCredits} is reached`, 'Raise --max-credits')
      await work.begin(row)
    }
    await work.writeAll()
    if (signal.aborted) throw new JobStopped('interrupted')
    work.endSkipping()
    file.finish()
    return { stopped: null }
  } catch (error) {
    // Save the finished rows before the first unfinished one.
    await work.writeAll().catch(() => undefined)
    await work.settle()
    if (file.resumed || work.hasBegun) file.leave()
    else file.discard()
    if (error instanceof JobStopped) return { stopped: error.message, first: error.first }
    if (signal.aborted) return { stopped: 'interrupted' }
    throw error
  }
}

interface Waiting {
  row: InputRow
  id: string
  looked: Promise<Looked>
}

class Work {
  hasBegun = false
  readonly #deps: Deps
  readonly #cache: LookupCache
  readonly #lost: LostPayments | null
  readonly #resumedAt: { rows: number; digest: string }
  readonly #waiting: Waiting[] = []
  #skipped = 0
  #digest: string

  constructor(deps: Deps) {
    const { file, format, price, concurrency } = deps
    this.#deps = deps
    this.#cache = new LookupCache(deps.look)
    this.#lost = file.resumed ? new LostPayments({ price, rows: file.mark.rows, concurrency }) : null
    this.#digest = file.nextDigest('', format.header)
    this.#resumedAt = { rows: file.mark.rows, digest: file.mark.digest }
  }

  /** Whether the output already has the row. */
  skips(row: InputRow): boolean {
    if (this.#skipped >= this.#resumedAt.rows) {
      this.endSkipping()
      return false
    }
    this.#skip(this.#deps.idOf(row))
    return true
  }

  /** Checks that the skipped rows are those at the start of the output. */
  endSkipping(): void {
    const { rows, digest } = this.#resumedAt
    if (this.#skipped === rows && this.#digest === digest) return
    throw new CommandError(
      'The input has changed since the job began. Give the old input, another --out, or remove the .job file and the .partial file to start over.',
    )
  }

  /** Whether one more found row is within --max-credits. Rows in progress count as found until they finish. */
  async affords(): Promise<boolean> {
    const { maxCredits, price, file } = this.#deps
    if (maxCredits === null) return true
    while (this.#waiting.length > 0 && file.mark.credits + (this.#waiting.length + 1) * price > maxCredits)
      await this.#writeOldest()
    return file.mark.credits + price <= maxCredits
  }

  async begin(row: InputRow): Promise<void> {
    const id = this.#deps.idOf(row)
    const looked = this.#look(row, id)
    looked.catch(() => undefined)
    this.#waiting.push({ row, id, looked })
    if (this.#waiting.length >= this.#deps.concurrency) await this.#writeOldest()
  }

  async writeAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#writeOldest()
  }

  /** Waits for calls whose rows are not written; a resumed job replays their answers. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#waiting.map(({ looked }) => looked))
  }

  async #look(row: InputRow, id: string): Promise<Looked> {
    if (row.problem !== null) return unlooked('failed', row.problem)
    if (id === '') return unlooked('failed', 'the column is empty')
    this.hasBegun = true
    return this.#cache.get(id)
  }

  #skip(id: string): void {
    this.#lost?.written(id)
    this.#digest = this.#deps.file.nextDigest(this.#digest, id)
    this.#skipped++
  }

  async #writeOldest(): Promise<void> {
    const [oldest] = this.#waiting
    if (!oldest) return
    const { row, id, looked } = oldest
    const answered = await looked
    this.#waiting.shift()
    const credits = this.#lost?.creditsOf(row.number, id, answered) ?? answered.credits
    this.#write(row, id, { ...answered, credits })
  }

  #write(row: InputRow, id: string, looked: Looked): void {
    const { file, format, onRow } = this.#deps
    file.count(id, looked)
    file.append(format.line(row, looked), 1)
    onRow(looked)
  }
}
