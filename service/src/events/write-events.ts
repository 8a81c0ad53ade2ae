import { newRequestId } from '../foundation/request-id.ts'
import type { Dialect, Tx } from '../database/dialect.ts'
import { insertRows, type Value } from '../database/sql/bulk-rows.ts'
import type { NewEvent } from './event.ts'

const rows = {
  table: 'events',
  columns: ['public_id', 'type', 'at', 'account_id', 'entity_id', 'data'],
  put({ type, at, accountId, entityId = null, data }: NewEvent, values: Value[]): void {
    values.push(`evt_${newRequestId().replaceAll('-', '')}`, type, at, accountId, entityId, JSON.stringify(data))
  },
} as const

/**
 * Writes events inside the transaction of what they notify of: both are committed, or neither. It takes no lock, so it may
 * stand anywhere in the transaction. No events cost no statement, and wake nobody.
 */
export async function writeEvents(tx: Tx, dialect: Dialect, events: readonly NewEvent[]): Promise<void> {
  await insertRows({ db: tx, dialect }, rows, events)
  if (events.length > 0) tx.wakesSender = true
}
