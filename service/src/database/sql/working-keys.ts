import type { ExpressionBuilder } from 'kysely'
import type { KeyRow } from '../tables/accounts.ts'
import type { Tables } from '../tables/tables.ts'

type KeyEnd = Pick<KeyRow, 'revoked' | 'revoked_at' | 'expires_at'>

/**
 * The time from which a key counts as revoked. A revocation is a state, so it precedes any clock; an overlap ends at
 * its time.
 */
export function revokedFrom({ revoked, revoked_at }: Pick<KeyEnd, 'revoked' | 'revoked_at'>): number | null {
  return revoked === 1 ? -Infinity : revoked_at
}

/** Whether a key is neither revoked nor expired. */
export function isWorkingKey(key: KeyEnd, at: number): boolean {
  return (revokedFrom(key) ?? Infinity) > at && (key.expires_at ?? Infinity) > at
}

/** The same as a condition on `keys`. */
export function workingKeys(at: number) {
  return (eb: ExpressionBuilder<Tables, 'keys'>) =>
    eb.and([
      eb('keys.revoked', '=', 0),
      eb.or([eb('keys.revoked_at', 'is', null), eb('keys.revoked_at', '>', at)]),
      eb.or([eb('keys.expires_at', 'is', null), eb('keys.expires_at', '>', at)]),
    ])
}
