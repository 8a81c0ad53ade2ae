const width = 24
const everyMs = 100

/** A line on the terminal that shows how far a long job is; nothing without a terminal. */
export class ProgressBar {
  readonly #live = process.stderr.isTTY
  #shownAt = 0

  /** `share` is 0 to 1, or null where the end is not known. */
  show(share: number | null, text: string): void {
    const now = performance.now()
    if (!this.#live || now - this.#shownAt < everyMs) return
    this.#shownAt = now
    process.stderr.write(`\r\x1b[2K${share === null ? '' : bar(share)}${text}`)
  }

  /** Takes the line away, so that only the result is left. */
  end(): void {
    if (this.#live) process.stderr.write('\r\x1b[2K')
  }
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${String(Math.floor(share * 100)).padStart(3)}%  `
}
