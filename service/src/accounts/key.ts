import type { Kind, PersonPart } from '@vitae/contract'
import type { KeyRow } from '../database/tables/accounts.ts'
import { formatRate } from '../foundation/rate.ts'
import { isoTime } from '../foundation/clock.ts'

/** A key as operators see it: everything but the key itself. */
export interface KeyView {
  id: string
  display: string
  project: string
  environment: string
  mode: 'live' | 'test'
  label: string | null
  /** Credits per UTC month. */
  ceiling: number | null
  daily_ceiling: number | null
  rate: string | null
  endpoints: Kind[] | null
  parts: PersonPart[] | null
  networks: string[] | null
  expires_at: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  rotated_from: string | null
  /** Captured and held credits of this UTC month and day, counted over the whole chain of rotations. */
  spent_this_month: number
  spent_today: number
}

/** One row of `keys` in the form that operators see. */
export function keyView(row: KeyRow, environment: string, spent: { thisMonth: number; today: number }): KeyView {
  const rate =
    row.rate_limit === null || row.rate_window_ms === null
      ? null
      : { limit: row.rate_limit, windowMs: row.rate_window_ms }
  return {
    id: row.id,
    display: row.display,
    project: row.project,
    environment,
    mode: row.mode,
    label: row.label,
    ceiling: row.ceiling,
    daily_ceiling: row.daily_ceiling,
    rate: rate && formatRate(rate),
    endpoints: parseList(row.endpoints),
    parts: parseList(row.parts),
    networks: parseList(row.networks),
    expires_at: isoTime(row.expires_at),
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
    revoked_at: isoTime(row.revoked_at),
    rotated_from: row.rotated_from,
    spent_this_month: spent.thisMonth,
    spent_today: spent.today,
  }
}

/** A JSON list column; null means "all". */
export function parseList<T extends string>(text: string | null): T[] | null {
  // Written by this folder from checked input.
  return text === null ? null : (JSON.parse(text) as T[])
}
