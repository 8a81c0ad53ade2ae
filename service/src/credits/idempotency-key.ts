import { createHash, createHmac } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import type { Identifier } from '../foundation/identifier.ts'

/**
 * The keyed hash that is stored instead of the value. Values cannot be found by guessing, and two environments never
 * share one.
 */
export function idempotencyHash(secret: Uint8Array | string, environmentId: number, value: string): string {
  return createHmac('sha256', secret).update(`${environmentId} ${value}`).digest('base64url')
}

/** The facts that make two calls the same request. */
export interface FingerprintFacts {
  kind: Kind
  identifier: Pick<Identifier, 'type' | 'value'>
  includeContactInfo: boolean
  includeNetworkInfo: boolean
  includeVerifications: boolean
  /** The effective age, after the default and the cap. */
  maxAgeDays: number
  bypassCache: boolean
  /** Sorted; null = nothing is required. */
  require: readonly string[] | null
  /** Facts that the record must not contradict; null = nothing is expected. */
  expect?: object | null
}

/** One hash of everything that makes two calls the same request. It names no one. */
export function fingerprint(facts: FingerprintFacts): string {
  const said = [
    facts.kind,
    facts.identifier.type,
    facts.identifier.value,
    facts.includeContactInfo,
    facts.includeNetworkInfo,
    facts.includeVerifications,
    facts.maxAgeDays,
    facts.bypassCache,
    // Omitted if unset, so that idempotency records of earlier versions still match.
    ...(facts.require || facts.expect ? [facts.require] : []),
    ...(facts.expect ? [Object.entries(facts.expect).toSorted(([a], [b]) => (a < b ? -1 : 1))] : []),
  ]
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url')
}
