import type { Looked } from './look-up.ts'
import type { InputRow } from './read-rows.ts'

const lineEveryMs = 5_000
const redrawEveryMs = 120

/** Shows how a job goes on standard error: one line that is redrawn on a terminal, a line now and then without one. */
export class Progress {
  readonly #startedAt = Date.now()
  readonly #totalBytes: number | null
  readonly #sources: Record<string, number> = {}
  #rows = 0
  /** How much of the input was done before the first row of this run, and is now; from 0 to 1. */
  #shareBefore: number | null = null
  #share: number | null = null
  #credits = 0
  #notFound = 0
  #failed = 0
  #shownAt = 0

  /** `totalBytes` of the input, or null where they cannot be known. */
  constructor(totalBytes: number | null) {
    this.#totalBytes = totalBytes
  }

  row(row: InputRow, looked: Looked): void {
    this.#rows++
    this.#share = this.#totalBytes ? Math.min(1, row.bytesRead / this.#totalBytes) : null
    this.#shareBefore ??= this.#share
    this.#credits += looked.credits
    if (looked.status === 'not_found') this.#notFound++
    if (looked.status === 'failed') this.#failed++
    if (looked.source) this.#sources[looked.source] = (this.#sources[looked.source] ?? 0) + 1
    const every = process.stderr.isTTY ? redrawEveryMs : lineEveryMs
    if (Date.now() - this.#shownAt < every) return
    this.#shownAt = Date.now()
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${this.#line()}` : `${this.#line()}\n`)
  }

  end(): void {
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${this.#line()}\n` : `${this.#line()}\n`)
  }

  #line(): string {
    const seconds = Math.max(0.001, (Date.now() - this.#startedAt) / 1_000)
    const share = this.#share
    const done = (share ?? 0) - (this.#shareBefore ?? 0)
    const mix = Object.entries(this.#sources).map(([source, count]) => `${count} ${source}`)
    const parts = [
      share === null ? `${this.#rows} rows` : `${Math.floor(share * 100)} %  ${this.#rows} rows`,
      `${Math.round(this.#rows / seconds)}/s`,
      share !== null && done > 0.01 && share < 1 ? `${Math.ceil((seconds / done) * (1 - share))} s left` : null,
      `${this.#credits} credits`,
      ...mix,
      this.#notFound > 0 ? `${this.#notFound} not found` : null,
      this.#failed > 0 ? `${this.#failed} failed` : null,
    ]
    return parts.filter((part) => part !== null).join('  ')
  }
}
