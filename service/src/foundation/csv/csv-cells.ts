/** One line of CSV from cells that are written already. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.join(delimiter)}\r\n`
}

/** A value as a cell; what is no text is JSON, and nothing is an empty cell. */
export function csvCell(value: unknown, delimiter = ','): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The same for text of strangers: no spreadsheet runs it as a formula. */
export function safeCell(value: unknown, delimiter = ','): string {
  return csvCell(typeof value === 'string' && isFormula(value) ? `'${value}` : value, delimiter)
}

/** Whether a spreadsheet would run the text. Negative numbers and telephone numbers are left as they are. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-][\d\s().-]*$/.test(text)
}
