import type { Result } from './result.ts'
import { shortNumber } from './table.ts'

const width = 960
const right = 120
/** Wider than a letter of the labels on average. */
const letterWidth = 7
const barHeight = 22
const rowHeight = 36
const top = 64

// Mid-tone bars, and text that follows the reader's light or dark scheme.
const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .faint { fill: #59636e; font-size: 12px; }
  .bar { fill: #8b949e; }
  .ours { fill: #2f81f7; }
  .spread { stroke: #1f2328; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .faint { fill: #9198a1; }
    .spread { stroke: #e6edf3; }
  }`

/** A result as a picture: one bar per row for the shown measure, with the spread of the rounds. */
export function barChart(result: Result): string {
  const { rows, shown, title, machine, command } = result
  const bars = rows.flatMap(({ name, measures }) => (measures[shown] ? [{ name, ...measures[shown] }] : []))
  const left = 26 + letterWidth * Math.max(0, ...bars.map(({ name }) => name.length))
  const longest = Math.max(...bars.map((bar) => bar.max), Number.MIN_VALUE)
  const scale = (value: number) => left + (Math.max(0, value) / longest) * (width - left - right)
  const drawn = bars.map(({ name, median, min, max }, index) => {
    const y = top + index * rowHeight
    const middle = y + barHeight / 2
    const kind = name.startsWith('vitae') ? 'bar ours' : 'bar'
    return `
  <text x="${left - 10}" y="${middle + 4}" text-anchor="end">${escaped(name)}</text>
  <rect class="${kind}" x="${left}" y="${y}" width="${(scale(median) - left).toFixed(1)}" height="${barHeight}" rx="3"/>
  <path class="spread" d="M${scale(min).toFixed(1)} ${middle}H${scale(max).toFixed(1)}"/>
  <text x="${(scale(max) + 8).toFixed(1)}" y="${middle + 4}">${shortNumber(median)}</text>`
  })
  const height = top + bars.length * rowHeight + 54
  const origin = `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.date}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
  <style>${style}
  </style>
  <text class="title" x="16" y="26">${escaped(title)}</text>
  <text class="faint" x="16" y="46">${escaped(shown)}: median of ${result.settings.rounds} rounds, line: lowest to highest</text>${drawn.join('')}
  <text class="faint" x="16" y="${height - 32}">${escaped(origin)}</text>
  <text class="faint" x="16" y="${height - 14}">${escaped(command)}</text>
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
