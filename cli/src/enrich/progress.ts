import type { Batch } from '@vitae/client'

const lineEveryMs = 5_000
const redrawEveryMs = 120

/** Shows the progress of a job on standard error: a redrawn line on a terminal, otherwise a line now and then. */
export class Progress {
  readonly #total: number
  readonly #rows: number
  #line = ''
  #shownAt = 0

  /** `total`: the questions of the job; `rows`: those of its output. */
  constructor({ total, rows }: { total: number; rows: number }) {
    this.#total = total
    this.#rows = rows
  }

  /** Shows a batch. `before`: what the batches before it have done. */
  show(batch: Batch, before: { rows: number; credits: number }): void {
    const { total, counts, credits_spent: credits, seconds_left: left, status, pause_reason: reason } = batch
    const done = before.rows + total - counts.waiting
    const failed = counts.failed + counts.invalid
    const parts = [
      `${Math.floor((done / this.#total) * 100)} %`,
      `${done} of ${this.#total} looked up`,
      left !== null && left > 0 ? `${left} s left` : null,
      `${before.credits + credits} credits`,
      counts.not_found > 0 ? `${counts.not_found} not found` : null,
      failed > 0 ? `${failed} failed` : null,
      status === 'paused' ? `paused (${reason}). ${batch.resumed_by}` : null,
    ]
    this.#show(parts.filter((part) => part !== null).join('  '), status === 'paused' && !this.#line.includes('paused'))
  }

  /** Shows how long requests wait, so that the job does not seem to hang. */
  wait(until: number): void {
    const seconds = Math.ceil((until - Date.now()) / 1_000)
    if (seconds > 1) this.#show(`waiting ${seconds} s for the rate limit of the key; the batch continues`, true)
  }

  /** Shows how many rows of the output are written. */
  write(rows: number): void {
    if (rows % 100 === 0) this.#show(`${rows} of ${this.#rows} rows written`, false)
  }

  end(): void {
    if (this.#line !== '') process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${this.#line}\n` : `${this.#line}\n`)
  }

  #show(line: string, isNow: boolean): void {
    this.#line = line
    const every = process.stderr.isTTY ? redrawEveryMs : lineEveryMs
    if (!isNow && Date.now() - this.#shownAt < every) return
    this.#shownAt = Date.now()
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${line}` : `${line}\n`)
  }
}
