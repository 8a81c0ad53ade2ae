/** One row of a table: column name to text. */
export type Row = Record<string, string | number | boolean | null | undefined>

/** Prints JSON where a program reads (`--json`, or no terminal), and `text` where a person does. */
export function print(json: boolean, value: unknown, text: () => string): void {
  process.stdout.write(json || !process.stdout.isTTY ? `${JSON.stringify(value, null, json ? 0 : 2)}\n` : `${text()}\n`)
}

/** Rows as aligned columns under their names. */
export function table(rows: readonly Row[], columns: readonly string[], empty: string): string {
  if (rows.length === 0) return empty
  const cells = rows.map((row) => columns.map((column) => shown(row[column])))
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((line) => line[index]?.length ?? 0)),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(columns.map((column) => column.toUpperCase())), ...cells.map(line)].join('\n')
}

/** One thing as `name  value` lines; what is not set is left out. */
export function card(thing: object): string {
  const entries = Object.entries(thing).filter(([, value]) => value !== null && value !== undefined)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n')
}

/** Labels are what others typed: control characters and changes of direction in them would move the cursor or hide text. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'number') return value.toLocaleString('en-US')
  if (typeof value === 'string') return printable(value)
  return Array.isArray(value) ? value.map(shown).join(', ') : JSON.stringify(value)
}
