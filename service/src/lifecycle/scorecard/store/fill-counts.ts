import type { Connection } from '../../../database/dialect.ts'
import { unpack } from '../../../records/versions/compress.ts'
import { filledFields } from './filled-fields.ts'

export interface FillCounts {
  records: number
  /** Per field, in how many of the records it has a value. */
  filled: Record<string, number>
}

/** How often each field has a value in the records that these fetches brought. Hand it a few at a time. */
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

/** The record in a stored body; what is stored is always an object. */
export function storedRecord(body: Uint8Array): object {
  return JSON.parse(Buffer.from(unpack(body)).toString()) as object
}
