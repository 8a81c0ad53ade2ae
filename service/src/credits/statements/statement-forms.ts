import type { OperatorStatement } from '@vitae/contract'
import { csvLine, safeCell } from '../../foundation/csv/csv-cells.ts'

const columns = [
  'item',
  'price_line',
  'endpoint',
  'source',
  'spend_tag',
  'calls',
  'credits',
  'cost',
  'currency',
] as const
type Cells = Partial<Record<(typeof columns)[number], string | number | null>>

/** The statement as rows: a row for each balance, sum, line and provider. */
function rowsOf(statement: OperatorStatement): Cells[] {
  const { lines, provider_cost: cost, value } = statement
  return [
    { item: 'opening balance', credits: statement.opening_balance },
    { item: 'granted', credits: statement.granted },
    { item: 'lapsed', credits: -statement.lapsed },
    ...lines.map((line) => ({ item: 'charge', ...line, credits: -line.credits })),
    { item: 'charged', credits: -statement.charged, ...(value && { cost: value.charged, currency: value.currency }) },
    { item: 'corrected', credits: statement.corrected },
    { item: 'closing balance', credits: statement.closing_balance },
    ...cost.by_provider.map((each) => ({
      item: `provider ${each.provider}`,
      cost: each.cost,
      currency: cost.currency,
    })),
    { item: 'providers', cost: cost.total, currency: cost.currency },
  ]
}

/** RFC 4180, the same columns for every month. */
export function statementCsv(statement: OperatorStatement): string {
  const rows = rowsOf(statement).map((row) => csvLine(columns.map((column) => safeCell(row[column]))))
  return `${columns.join(',')}\r\n${rows.join('')}`
}

/** A page without scripts, to print or to forward. */
export function statementPage(statement: OperatorStatement): string {
  const { project, environment, month, in_progress: isOpen, digest } = statement
  const title = `Statement ${month}: ${project}${environment === null ? '' : `/${environment}`}`
  const state = isOpen ? 'In progress: figures may still change.' : `Closed. SHA-256 ${digest}`
  const cell = (tag: string) => (value: string | number | null | undefined) =>
    `<${tag}>${escaped(String(value ?? ''))}</${tag}>`
  const body = rowsOf(statement).map((row) => `<tr>${columns.map((column) => cell('td')(row[column])).join('')}</tr>`)
  const heads = columns.map((column) => cell('th')(column.replace('_', ' '))).join('')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<style>body{font:14px system-ui;margin:2rem}table{border-collapse:collapse}th,td{padding:.2rem .6rem;border-bottom:1px solid #ccc;text-align:left}</style>
</head><body><h1>${escaped(title)}</h1><p>${escaped(state)}</p>
<table><thead><tr>${heads}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></body></html>
`
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
