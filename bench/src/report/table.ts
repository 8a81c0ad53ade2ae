import type { Spread } from './spread.ts'
import type { Result } from './result.ts'

/** A result as text for the terminal. */
export function resultText(result: Result): string {
  const measures = [...new Set(result.rows.flatMap((row) => Object.keys(row.measures)))]
  const rows = result.rows.map((row) => [row.name, ...measures.map((name) => spreadText(row.measures[name]))])
  const ratios = result.ratios.map(({ of, to, measure, value }) => [`${of} / ${to}`, measure, spreadText(value)])
  const billing = result.billing.map(({ name, answers, spent, exact }) => [
    name,
    `${answers} answers`,
    `${spent} credits`,
    exact ? 'exact' : 'NOT EXACT',
  ])
  const verdicts = result.verdicts.map(({ claim, wanted, got, met }) => [met ? 'met' : 'NOT MET', claim, wanted, got])
  return [
    `\n${result.title}${result.settings.quick ? '   (quick: the figures mean nothing)' : ''}`,
    table(['', ...measures], rows),
    ...(ratios.length > 0 ? [table(['ratio in the same run', '', 'median (min..max)'], ratios)] : []),
    ...(billing.length > 0 ? [table(['ledger', '', '', ''], billing)] : []),
    ...(verdicts.length > 0 ? [table(['', 'promise', 'wanted', 'got'], verdicts)] : []),
    ...result.notes.map((note) => `  note: ${note}`),
  ].join('\n')
}

/** A text table with columns of the required width. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), '']
    .map((row) => row.trimEnd())
    .join('\n')
}

/** Median and range, rounded according to their size. */
export function spreadText(value: Spread | undefined): string {
  if (!value) return ''
  const { median, min, max } = value
  return min === max ? shortNumber(median) : `${shortNumber(median)} (${shortNumber(min)}..${shortNumber(max)})`
}

/** A number with three significant digits. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '?'
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}
