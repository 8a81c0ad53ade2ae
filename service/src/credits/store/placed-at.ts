import { sql } from 'kysely'

/**
 * When the hold that ledger row `entry` ends was placed; null without a hold. A request whose hold was released before
 * its answer arrived places it again, so there may be several.
 */
export const placedAt = sql<number | null>`(select placed.at from ledger_entries as placed
  where placed.request_id = entry.hold_id and placed.kind = 'hold' and placed.id <= entry.id
  order by placed.id desc limit 1)`
