export interface Bar {
  label: string
  value: number
  note: string
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Draws horizontal bars, scaled to the largest, within the terminal's width. */
export function barChart(bars: readonly Bar[], empty: string, columns = process.stdout.columns ?? 80): string {
  if (bars.length === 0) return empty
  const labels = largest(bars, ({ label }) => label.length)
  const notes = largest(bars, ({ note }) => note.length)
  const width = Math.max(8, Math.min(60, columns - labels - notes - 4))
  const most = largest(bars, ({ value }) => value) || 1
  return bars
    .map(({ label, value, note }) => `${label.padEnd(labels)}  ${drawn(value / most, width).padEnd(width)}  ${note}`)
    .join('\n')
}

/** A loop, because a report may have more bars than a call can have arguments. */
function largest(bars: readonly Bar[], read: (bar: Bar) => number): number {
  return bars.reduce((most, bar) => Math.max(most, read(bar)), 0)
}

/** Draws in eighths of a character, so that small values are visible. */
function drawn(share: number, width: number): string {
  const steps = Math.round(share * width * 8)
  const shown = share > 0 ? Math.max(1, steps) : 0
  return '█'.repeat(Math.floor(shown / 8)) + (eighths[shown % 8] ?? '')
}
