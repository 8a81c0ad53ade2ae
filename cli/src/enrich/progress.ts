import type { Looked } from './look-up.ts'

const lineEveryMs = 5_000
const redrawEveryMs = 120

/** Shows how a job goes on standard error: one line that is drawn anew on a terminal, one now and then elsewhere. */
export class Progress {
  readonly #startedAt = Date.now()
  readonly #share: () => number | null
  readonly #sources: Record<string, number> = {}
  #rows = 0
  #credits = 0
  #notFound = 0
  #failed = 0
  #shownAt = 0

  /** `share` tells how much of the input has been read, from 0 to 1, or null where it cannot be known. */
  constructor(share: () => number | null) {
    this.#share = share
  }

  row(looked: Looked): void {
    this.#rows++
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
    const share = this.#share()
    const mix = Object.entries(this.#sources).map(([source, count]) => `${count} ${source}`)
    const parts = [
      share === null ? `${this.#rows} rows` : `${Math.floor(share * 100)} %  ${this.#rows} rows`,
      `${Math.round(this.#rows / seconds)}/s`,
      share !== null && share > 0.01 && share < 1 ? `${Math.ceil((seconds / share) * (1 - share))} s left` : null,
      `${this.#credits} credits`,
      ...mix,
      this.#notFound > 0 ? `${this.#notFound} not found` : null,
      this.#failed > 0 ? `${this.#failed} failed` : null,
    ]
    return parts.filter((part) => part !== null).join('  ')
  }
}
