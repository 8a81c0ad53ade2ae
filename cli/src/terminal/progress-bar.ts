const width = 24
const everyMs = 100

/** A progress line on the terminal; silent without a terminal. */
export class ProgressBar {
  readonly #live = process.stderr.isTTY
  #shownAt = 0

  /** `share` is 0 to 1, or null if the total is unknown. */
  show(share: number | null, text: string): void {
    const now = performance.now()
    if (!this.#live || now - this.#shownAt < everyMs) return
    this.#shownAt = now
    process.stderr.write(`\r\x1b[2K${share === null ? '' : bar(share)}${text}`)
  }

  /** Clears the line, so that only the result remains. */
  end(): void {
    if (this.#live) process.stderr.write('\r\x1b[2K')
  }
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${String(Math.floor(share * 100)).padStart(3)}%  `
}
