import { csvCell, csvLine, safeCell } from '@vitae/service/csv-cells'
import type { Looked } from './looked.ts'
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
 * becomes `input_...`. Input cells stay unchanged. Found values are escaped against spreadsheet formulas.
 */
export function csvFormat(
  columns: readonly Column[],
  fields: readonly string[],
  { delimiter = ',', bom = false, matched = false }: { delimiter?: string; bom?: boolean; matched?: boolean } = {},
): OutputFormat {
  const said = matched ? matchFacts : facts
  const ours = new Set<string>([...said, ...fields])
  const titles = columns.map(({ title }) => (ours.has(title) ? `input_${title}` : title))
  const cell = (value: unknown) => csvCell(value, delimiter)
  const safe = (value: unknown) => safeCell(value, delimiter)
  const line = (cells: readonly string[]) => csvLine(cells, delimiter)
  return {
    header: `${bom ? '\uFEFF' : ''}${line([...titles, ...said, ...fields].map(cell))}`,
    line({ fields: given }, looked) {
      return line([
        ...columns.map(({ name }) => cell(given.get(name))),
        ...said.map((fact) => safe(looked[fact])),
        ...fields.map((field) => safe(chosen(looked, field))),
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
      const said = Object.fromEntries((matched ? matchFacts : facts).map((fact) => [fact, looked[fact]]))
      const ofFields =
        fields && looked.record && Object.fromEntries(fields.map((field) => [field, chosen(looked, field)]))
      const record = ofFields ?? looked.record
      return `${JSON.stringify({ input: Object.fromEntries(row.fields), ...said, record })}\n`
    },
  }
}

/** The value of a chosen field; batches return the chosen fields by their paths. */
function chosen({ record }: Looked, field: string): unknown {
  return record === null ? undefined : ((record as Record<string, unknown>)[field] ?? null)
}
