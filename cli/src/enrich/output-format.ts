import type { Kind } from '@vitae/contract'
import type { Looked } from './look-up.ts'
import type { Column, InputRow } from './read-rows.ts'

/** Turns a looked-up row into a line of the output. */
export interface OutputFormat {
  /** The first line; empty where the format has none. */
  header: string
  line(row: InputRow, looked: Looked): string
}

/** What a CSV shows of a record unless `--fields` chooses. */
export const defaultFields: Record<Kind, readonly string[]> = {
  people: [
    'member_urn',
    'public_identifier',
    'first_name',
    'last_name',
    'headline',
    'location.name',
    'location.country_code',
    'experience.0.company_name',
    'experience.0.company_id',
    'experience.0.positions.0.title',
    'profile_url',
  ],
  companies: [
    'company_id',
    'public_identifier',
    'company_name',
    'tagline',
    'industries.0.name',
    'staff_info.staff_count',
    'staff_info.staff_range.start',
    'staff_info.staff_range.end',
    'locations.headquarter.city',
    'locations.headquarter.country',
    'founded_on.year',
    'company_url',
    'platform_url',
  ],
}

const facts = ['status', 'error', 'source', 'fetched_at', 'credits'] as const

/**
 * CSV: the input's columns, then the facts of the lookup, then the chosen fields of the record. An input column with the
 * name of one of ours is called `input_...`, since a name must mean one thing. The input's cells stay as they are; what
 * a row of a pipe has beyond the columns is JSON in a last cell. What was found is made safe for spreadsheets.
 */
export function csvFormat(columns: readonly Column[], fields: readonly string[]): OutputFormat {
  const ours = new Set<string>([...facts, ...fields])
  const known = new Set(columns.map(({ name }) => name))
  const titles = columns.map(({ title }) => (ours.has(title) ? `input_${title}` : title))
  return {
    header: csvLine([...titles, ...facts, ...fields].map(csvCell)),
    line({ fields: given }, looked) {
      const beyond = [...given].filter(([name]) => !known.has(name))
      return csvLine([
        ...columns.map(({ name }) => csvCell(given.get(name))),
        ...facts.map((fact) => safeCell(looked[fact])),
        ...fields.map((field) => safeCell(valueAt(looked.record, field))),
        ...(beyond.length > 0 ? [csvCell(Object.fromEntries(beyond))] : []),
      ])
    },
  }
}

/** NDJSON: the input under `input`, the facts, and the whole record or the chosen fields of it. */
export function ndjsonFormat(fields: readonly string[] | null): OutputFormat {
  return {
    header: '',
    line(row, looked) {
      const { record } = looked
      const said = Object.fromEntries(facts.map((fact) => [fact, looked[fact]]))
      const chosen =
        fields && record ? Object.fromEntries(fields.map((field) => [field, valueAt(record, field) ?? null])) : record
      return `${JSON.stringify({ input: Object.fromEntries(row.fields), ...said, record: chosen })}\n`
    },
  }
}

/** The value at a dotted path such as `experience.0.company_name`; undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}

/** One line of a CSV. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`
}

/** One cell of a CSV, in quotes where it needs them. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function safeCell(value: unknown): string {
  return csvCell(typeof value === 'string' && isFormula(value) ? `'${value}` : value)
}

/** Whether a spreadsheet would run the text. Negative numbers and telephone numbers are left as they are. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-][\d\s().-]*$/.test(text)
}
