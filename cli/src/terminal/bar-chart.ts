export interface Bar {
  label: string
  value: number
  note: string
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Bars under each other, scaled to the largest, as wide as the terminal allows. */
export function barChart(bars: readonly Bar[], empty: string, columns = process.stdout.columns ?? 80): string {
  if (bars.length === 0) return empty
  const labels = Math.max(...bars.map(({ label }) => label.length))
  const notes = Math.max(...bars.map(({ note }) => note.length))
  const width = Math.max(8, Math.min(60, columns - labels - notes - 4))
  const most = Math.max(...bars.map(({ value }) => value), 1)
  return bars
    .map(({ label, value, note }) => `${label.padEnd(labels)}  ${drawn(value / most, width).padEnd(width)}  ${note}`)
    .join('\n')
}

/** Down to an eighth of a character, so that small values are seen too. */
function drawn(share: number, width: number): string {
  const steps = Math.round(share * width * 8)
  const shown = share > 0 ? Math.max(1, steps) : 0
  return '█'.repeat(Math.floor(shown / 8)) + (eighths[shown % 8] ?? '')
}
