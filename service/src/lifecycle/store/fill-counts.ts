import type { Connection } from '../../database/engine/dialect.ts'
import { unpack } from '../../database/packing/pack.ts'

export interface FillCounts {
  records: number
  /** Per field, the number of records in which it has a value. */
  filled: Record<string, number>
}

/** Counts in how many records of these fetches each field has a value. Pass only a few fetches per call. */
export async function fillCounts(
  { db }: Connection,
  { fetchIds }: { fetchIds: readonly number[] },
): Promise<FillCounts> {
  const rows = await db
    .selectFrom('versions')
    .select('body')
    .where('fetch_id', 'in', [...fetchIds])
    .execute()
  const filled: Record<string, number> = {}
  for (const { body } of rows)
    for (const field of filledFields(storedRecord(body))) filled[field] = (filled[field] ?? 0) + 1
  return { records: rows.length, filled }
}

/** Unpacks and parses a stored body, which is always a JSON object. */
export function storedRecord(body: Uint8Array): object {
  return JSON.parse(Buffer.from(unpack(body)).toString()) as object
}

/**
 * Returns the dotted paths of the fields that have a value. A field inside a list counts if any element has it. `false`
 * does not count, because it can also mean "unknown".
 */
export function filledFields(record: object): Set<string> {
  const filled = new Set<string>()
  for (const [name, value] of Object.entries(record)) addFilled(name, value, filled)
  return filled
}

function addFilled(path: string, value: unknown, filled: Set<string>): boolean {
  const isFilled = Array.isArray(value)
    ? value.filter((element) => addElement(path, element, filled)).length > 0
    : addElement(path, value, filled)
  if (isFilled) filled.add(path)
  return isFilled
}

function addElement(path: string, value: unknown, filled: Set<string>): boolean {
  if (value === null || value === undefined || value === '' || value === false) return false
  if (typeof value !== 'object') return true
  return Object.entries(value).filter(([name, inner]) => addFilled(`${path}.${name}`, inner, filled)).length > 0
}
