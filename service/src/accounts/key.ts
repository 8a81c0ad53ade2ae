import type { Kind, PersonPart } from '@vitae/contract'
import type { KeyRow } from '../database/tables/accounts.ts'
import { formatRate } from '../foundation/rate.ts'
import { isoTime } from '../foundation/clock.ts'

/** The settings of a key that its operator chooses. */
export type KeySettings = Pick<KeyRow, keyof typeof noSettings>

/** A key without any limits. */
export const noSettings = {
  label: null,
  ceiling: null,
  daily_ceiling: null,
  rate_limit: null,
  rate_window_ms: null,
  endpoints: null,
  parts: null,
  networks: null,
  expires_at: null,
} as const

/** A key as operators see it: everything but the key itself. The route's schema explains each field. */
export type KeyView = ReturnType<typeof keyView>

/** Converts a row of `keys` to the operators' view. */
export function keyView(row: KeyRow, environment: string, spent: { thisMonth: number; today: number }) {
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
    endpoints: parseList<Kind>(row.endpoints),
    parts: parseList<PersonPart>(row.parts),
    networks: parseList<string>(row.networks),
    expires_at: isoTime(row.expires_at),
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
    revoked_at: isoTime(row.revoked_at),
    revoked: row.revoked === 1,
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
