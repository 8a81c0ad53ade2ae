import type { Looked } from './look-up.ts'

const lineEveryMs = 5_000
const redrawEveryMs = 120

/** Shows the progress of a job on standard error: a redrawn line on a terminal, otherwise a line now and then. */
export class Progress {
  readonly #startedAt = Date.now()
  readonly #totalRows: number | null
  readonly #rowsBefore: number
  readonly #sources: Record<string, number> = {}
  #rows = 0
  #credits = 0
  #notFound = 0
  #failed = 0
  #shownAt = 0
  #waitsUntil = 0

  /** `totalRows` is null if unknown; `rowsBefore` are already in the output. */
  constructor(totalRows: number | null, rowsBefore: number) {
    this.#totalRows = totalRows
    this.#rowsBefore = rowsBefore
  }

  row(looked: Looked): void {
    this.#rows++
    this.#credits += looked.credits
    if (looked.status === 'not_found') this.#notFound++
    if (looked.status === 'failed') this.#failed++
    if (looked.source) this.#sources[looked.source] = (this.#sources[looked.source] ?? 0) + 1
    this.#show()
  }

  /** Shows that calls wait until this time, so that the job does not seem to hang. */
  wait(until: number): void {
    const isNew = Date.now() >= this.#waitsUntil && until - Date.now() >= 1_000
    this.#waitsUntil = Math.max(this.#waitsUntil, until)
    if (isNew) this.#shownAt = 0
    this.#show()
  }

  end(): void {
    this.#waitsUntil = 0
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${this.#line()}\n` : `${this.#line()}\n`)
  }

  #show(): void {
    const every = process.stderr.isTTY ? redrawEveryMs : lineEveryMs
    if (Date.now() - this.#shownAt < every) return
    this.#shownAt = Date.now()
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${this.#line()}` : `${this.#line()}\n`)
  }

  #line(): string {
    const seconds = Math.max(0.001, (Date.now() - this.#startedAt) / 1_000)
    const waitMs = this.#waitsUntil - Date.now()
    const total = this.#totalRows
    const done = this.#rowsBefore + this.#rows
    const left = total === null || this.#rows === 0 ? null : Math.ceil((seconds / this.#rows) * (total - done))
    const mix = Object.entries(this.#sources).map(([source, count]) => `${count} ${source}`)
    const parts = [
      total === null ? null : `${total === 0 ? 100 : Math.floor((done / total) * 100)} %`,
      `${this.#rows} rows`,
      waitMs > 0 ? `waiting ${Math.ceil(waitMs / 1_000)} s for the rate limit` : `${rate(this.#rows / seconds)}/s`,
      left !== null && left > 0 && waitMs <= 0 ? `${left} s left` : null,
      `${this.#credits} credits`,
      ...mix,
      this.#notFound > 0 ? `${this.#notFound} not found` : null,
      this.#failed > 0 ? `${this.#failed} failed` : null,
    ]
    return parts.filter((part) => part !== null).join('  ')
  }
}

/** Shows tenths below ten per second: at five calls a minute, "0/s" would look like a job that hangs. */
function rate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond))
}
