import { createHash, createHmac } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import type { Identifier } from '../foundation/identifier.ts'

/** What is stored in place of the value: no one can find values by guessing them, and two environments never meet. */
export function idempotencyHash(secret: Uint8Array | string, environmentId: number, value: string): string {
  return createHmac('sha256', secret).update(`${environmentId} ${value}`).digest('base64url')
}

/** What makes two calls the same request. */
export interface FingerprintFacts {
  kind: Kind
  identifier: Pick<Identifier, 'type' | 'value'>
  includeContactInfo: boolean
  includeNetworkInfo: boolean
  includeVerifications: boolean
  /** After the default and the cap. */
  maxAgeDays: number
  bypassCache: boolean
  /** Sorted; null = nothing is required. */
  require: readonly string[] | null
  /** What the record may not contradict; null = nothing is expected. */
  expect?: object | null
}

/** One text for all that makes two calls the same request; hashed, so that it names no one. */
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
    // Left out where there is none, so that the idempotency records of versions before it still fit.
    ...(facts.require || facts.expect ? [facts.require] : []),
    ...(facts.expect ? [Object.entries(facts.expect).toSorted(([a], [b]) => (a < b ? -1 : 1))] : []),
  ]
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url')
}
