import type { Tables } from '../tables/tables.ts'

/**
 * The columns that the checksum of a row covers. No statement changes them later, with three exceptions: a new projection
 * of a version writes its checksum too, and erasures and purges, which empty columns of calls and of idempotency records,
 * remove theirs.
 */
export const checkedColumns = {
  ledger_entries: [
    'account_id',
    'kind',
    'amount',
    'held_amount',
    'key_id',
    'spend_id',
    'month',
    'request_id',
    'hold_id',
    'reason',
    'actor',
    'at',
  ],
  idempotency: [
    'account_id',
    'hash',
    'fingerprint',
    'state',
    'request_id',
    'version_id',
    'fold_id',
    'source',
    'created_at',
  ],
  calls: [
    'request_id',
    'at',
    'mode',
    'key_id',
    'account_id',
    'kind',
    'status',
    'code',
    'source',
    'credits',
    'identifier',
    'entity_id',
    'version_id',
    'fold_id',
    'fetch_id',
    'replay_of',
    'duration_ms',
    'repeats',
    'tag',
    'price',
  ],
  call_details: ['request_id', 'at', 'kind', 'explanation'],
  versions: ['provider', 'projection', 'fetched_at', 'source_updated_at', 'thin', 'unsaid', 'units'],
  folds: ['version_id', 'units'],
  fetches: ['provider', 'kind', 'at', 'status', 'outcome', 'cost', 'duration_ms', 'requests', 'removed'],
  mentions: ['fetch_id', 'prints'],
  events: ['public_id', 'type', 'at', 'account_id', 'data'],
} as const satisfies { [Table in keyof Tables]?: readonly (keyof Tables[Table])[] }

export type CheckedTable = keyof typeof checkedColumns

export type CheckedRow<Table extends CheckedTable> = {
  readonly [Column in (typeof checkedColumns)[Table][number]]?: unknown
}

/** Whether rows of a table have a checksum. */
export function isChecked(table: string): table is CheckedTable {
  return table in checkedColumns
}

/** The checksum of a row, by its checked columns. */
export function rowChecksum<Table extends CheckedTable>(table: Table, row: CheckedRow<Table>): number {
  const columns: readonly (keyof CheckedRow<Table>)[] = checkedColumns[table]
  return checksumOf(columns, (column) => row[column])
}

const double = new Float64Array(1)
const halves = new Uint32Array(double.buffer)

/**
 * The checksum of values in the order of the checked columns: FNV-1a with a step for each character, byte and half of a
 * number. It costs half of a CRC, which needs a text. A change of one step always changes it. Bytes differ from a text
 * of the same bytes, because one bit in a row of SQLite turns one into the other.
 */
export function checksumOf<Place>(places: readonly Place[], valueAt: (place: Place) => unknown): number {
  let sum = 0x811c9dc5
  for (const place of places) {
    const value = valueAt(place)
    if (typeof value === 'string') {
      // SQLite replaces lone surrogates.
      const text = value.toWellFormed()
      for (let at = 0; at < text.length; at++) sum = step(sum, text.charCodeAt(at))
    } else if (typeof value === 'number') {
      double[0] = value
      const isWhole = Number.isSafeInteger(value)
      sum = step(step(sum, isWhole ? value : (halves[0] ?? 0)), isWhole ? value / 2 ** 32 : (halves[1] ?? 0))
    } else if (value instanceof Uint8Array) {
      for (const byte of value) sum = step(sum, ~byte)
    }
    sum = step(sum, endOfValue)
  }
  return sum
}

const endOfValue = 0x10000

function step(sum: number, part: number): number {
  return Math.imul(sum ^ part, 0x01000193)
}
