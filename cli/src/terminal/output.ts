/** One row of a table, by column name. */
export type Row = Record<string, unknown>

/** Prints JSON for programs (`--json`, or no terminal), and `text` for people. */
export function print(json: boolean, value: unknown, text: () => string): void {
  process.stdout.write(json || !process.stdout.isTTY ? `${JSON.stringify(value, null, json ? 0 : 2)}\n` : `${text()}\n`)
}

/** A number with its noun, such as `1 error` or `2,000 calls`. */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
}

/** Formats rows as aligned columns with a header. */
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

/** Formats an object as `name  value` lines, without unset values. */
export function card(thing: object): string {
  const entries = Object.entries(thing).filter(([, value]) => value !== null && value !== undefined)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n')
}

/** Replaces control and bidirectional characters: in a label they could move the cursor or hide text. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}

/** Formats a value on one line; an object as `name value, name value`. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'number') return value.toLocaleString('en-US')
  if (typeof value === 'string') return printable(value)
  if (Array.isArray(value)) return value.map(shown).join(', ') || 'none'
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'object') return ''
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${shown(inner)}`)
    .join(', ')
}

/** Formats a nested object for people: a line per value, nested values indented, empty values left out. */
export function outline(thing: object, indent = ''): string {
  const lines = Object.entries(thing).flatMap(([name, value]: [string, unknown]) => {
    if (isEmpty(value)) return []
    if (!isNested(value)) return [`${indent}${name}: ${plain(value)}`]
    if (!Array.isArray(value)) return [`${indent}${name}:`, outline(value, `${indent}  `)]
    return [`${indent}${name}:`, ...value.map((item: unknown) => itemOf(item, `${indent}  `))]
  })
  return lines.join('\n')
}

/** Formats a list item, with a dash at its start. */
function itemOf(item: unknown, indent: string): string {
  if (!isNested(item)) return `${indent}- ${plain(item)}`
  return outline(item, `${indent}  `).replace(`${indent}  `, `${indent}- `)
}

function isNested(value: unknown): value is object {
  if (Array.isArray(value)) return value.some(isNested)
  return typeof value === 'object' && value !== null
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}

/** Formats a value on one line. Numbers stay unformatted, because years and ids are among them. */
function plain(value: unknown): string {
  return printable((Array.isArray(value) ? value.map(String).join(', ') : String(value)).replaceAll(/\s+/g, ' '))
}
