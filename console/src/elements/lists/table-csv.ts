const separator = new Intl.NumberFormat().formatToParts(1_234_567.5)
const [group = ',', decimal = '.'] = ['group', 'decimal'].map(
  (type) => separator.find((part) => part.type === type)?.value,
)

/** The shown rows of a table as CSV: times as ISO 8601, numbers without separators, and no columns of buttons. */
export function csvOf(table: HTMLTableElement): string {
  const rows = [...table.rows].map((row) => [...row.cells].map(textOf))
  const hasOnlyButtons = (column: number) =>
    rows.slice(1).every((row) => row[column] === '') &&
    [...table.rows].slice(1).some((row) => row.cells[column]?.querySelector('button'))
  const shown = (rows[0] ?? []).map((_, column) => !hasOnlyButtons(column))
  const lines = rows.map((row) =>
    row
      .filter((_, column) => shown[column])
      .map(cellOf)
      .join(','),
  )
  // Excel reads a CSV file as UTF-8 only if it starts with a byte order mark.
  return `\uFEFF${lines.join('\r\n')}\r\n`
}

function textOf(cell: HTMLElement): string {
  const copy = cell.cloneNode(true) as HTMLElement
  for (const extra of copy.querySelectorAll('button, summary, [role=tooltip], .sr-only')) extra.remove()
  for (const time of copy.querySelectorAll('time')) time.textContent = time.dateTime
  const text = (copy.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
  return text === '–' ? '' : plainNumber(text)
}

function plainNumber(text: string): string {
  const digits = text.replaceAll(group, '')
  return /^[−+-]?\d+$/.test(digits.replace(decimal, '')) ? digits.replace(decimal, '.').replace('−', '-') : text
}

/** A spreadsheet must not run the text as a formula, so such text begins with an apostrophe, as in files of the service. */
function cellOf(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-][\d\s().-]*$/.test(text)
  const safe = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
