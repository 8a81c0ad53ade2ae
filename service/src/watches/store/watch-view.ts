import type { Watch } from '@vitae/contract'
import type { Selectable } from 'kysely'
import type { WatchRow } from '../../database/tables/watches.ts'
import { isoTime } from '../../foundation/clock.ts'

export type StoredWatch = Selectable<WatchRow>

/** A watch as its environment sees it. */
export function watchView(row: StoredWatch): Watch {
  return {
    id: row.id,
    kind: row.kind,
    identifier: row.value,
    every_days: row.every_days,
    note: row.note,
    created_at: isoTime(row.created_at),
    next_due_at: row.paused === null ? isoTime(row.next_due) : null,
    last_checked_at: isoTime(row.looked_at),
    last_seen_at: isoTime(row.seen_at),
    last_result: row.result,
    paused: row.paused,
  }
}
