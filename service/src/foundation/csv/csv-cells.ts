/** One CSV line from encoded cells. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.join(delimiter)}\r\n`
}

/** Encodes a value as a cell: anything but text becomes JSON, null an empty cell. */
export function csvCell(value: unknown, delimiter = ','): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The same for untrusted text: a spreadsheet does not run it as a formula. */
export function safeCell(value: unknown, delimiter = ','): string {
  return csvCell(typeof value === 'string' && isFormula(value) ? `'${value}` : value, delimiter)
}

/** Whether a spreadsheet would run the text. Negative numbers and phone numbers are allowed. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-][\d\s().-]*$/.test(text)
}
