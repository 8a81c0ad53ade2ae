import { csvCell, csvLine, safeCell } from '@vitae/service/csv-cells'
import { valueAt } from '@vitae/service/record-fields'
import type { Looked } from './look-up.ts'
import type { Column, InputRow } from './input/input-row.ts'

/** Formats a result as a line of the output. */
export interface OutputFormat {
  /** The first line; empty for a format without a header. */
  header: string
  line(row: InputRow, looked: Looked): string
}

const facts = ['status', 'error', 'source', 'fetched_at', 'credits'] as const
const matchFacts = [...facts, 'likelihood', 'matched_on'] as const

/**
 * CSV: the input's columns, the facts of the lookup, then the chosen fields. An input column with one of these names
 * becomes `input_...`. Input cells stay unchanged; further fields of a piped row go into a last cell as JSON. Found
 * values are escaped against spreadsheet formulas.
 */
export function csvFormat(
  columns: readonly Column[],
  fields: readonly string[],
  { delimiter = ',', bom = false, matched = false }: { delimiter?: string; bom?: boolean; matched?: boolean } = {},
): OutputFormat {
  const said = matched ? matchFacts : facts
  const ours = new Set<string>([...said, ...fields])
  const known = new Set(columns.map(({ name }) => name))
  const titles = columns.map(({ title }) => (ours.has(title) ? `input_${title}` : title))
  const cell = (value: unknown) => csvCell(value, delimiter)
  const safe = (value: unknown) => safeCell(value, delimiter)
  const line = (cells: readonly string[]) => csvLine(cells, delimiter)
  return {
    header: `${bom ? '\uFEFF' : ''}${line([...titles, ...said, ...fields].map(cell))}`,
    line({ fields: given }, looked) {
      const beyond = [...given].filter(([name]) => !known.has(name))
      return line([
        ...columns.map(({ name }) => cell(given.get(name))),
        ...said.map((fact) => safe(looked[fact])),
        ...fields.map((field) => safe(valueAt(looked.record, field))),
        ...(beyond.length > 0 ? [cell(Object.fromEntries(beyond))] : []),
      ])
    },
  }
}

/** NDJSON: the input under `input`, the facts of the lookup, and the whole record or its chosen fields. */
export function ndjsonFormat(
  fields: readonly string[] | null,
  { matched = false }: { matched?: boolean } = {},
): OutputFormat {
  return {
    header: '',
    line(row, looked) {
      const { record } = looked
      const said = Object.fromEntries((matched ? matchFacts : facts).map((fact) => [fact, looked[fact]]))
      const chosen =
        fields && record ? Object.fromEntries(fields.map((field) => [field, valueAt(record, field) ?? null])) : record
      return `${JSON.stringify({ input: Object.fromEntries(row.fields), ...said, record: chosen })}\n`
    },
  }
}
