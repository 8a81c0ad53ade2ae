import type { Kind } from '@vitae/contract'
import type { Looked } from './look-up.ts'
import type { InputRow } from './read-rows.ts'

/** Turns a looked-up row into a line of the output. */
export interface OutputFormat {
  /** Must be called with the first row of the input before any line, also where the output has its header already. */
  header(first: InputRow): string
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
 * name of one of ours is called `input_...`, since a name must mean one thing.
 */
export function csvFormat(fields: readonly string[]): OutputFormat {
  let columns: string[] = []
  const ours = new Set<string>([...facts, ...fields])
  return {
    header(first) {
      columns = Object.keys(first.fields)
      return csvLine([...columns.map((column) => (ours.has(column) ? `input_${column}` : column)), ...facts, ...fields])
    },
    line(row, looked) {
      const given = columns.map((column) => row.fields[column])
      return csvLine([
        ...given,
        ...facts.map((fact) => looked[fact]),
        ...fields.map((field) => valueAt(looked.record, field)),
      ])
    },
  }
}

/** NDJSON: the input under `input`, the facts, and the whole record or the chosen fields of it. */
export function ndjsonFormat(fields: readonly string[] | null): OutputFormat {
  return {
    header: () => '',
    line(row, looked) {
      const { record } = looked
      const said = Object.fromEntries(facts.map((fact) => [fact, looked[fact]]))
      const chosen =
        fields && record ? Object.fromEntries(fields.map((field) => [field, valueAt(record, field) ?? null])) : record
      return `${JSON.stringify({ input: row.fields, ...said, record: chosen })}\n`
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

function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = typeof value === 'string' && isFormula(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Whether a spreadsheet would run the text. Negative numbers and telephone numbers are left as they are. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-][\d\s().-]*$/.test(text)
}
