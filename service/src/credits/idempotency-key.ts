import { createHash, createHmac } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import { Failure } from '../foundation/failure.ts'
import type { Identifier } from '../foundation/identifier.ts'

const lengthAtMost = 255
const visible = /^[\x21-\x7e]+$/
/** A structured-field string (RFC 9651) of visible characters only. */
const quoted = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/

/** Reads the header. Both forms of one value are the same value; null = the call has none. */
export function parseIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string') throw unusable('must be sent once')
  const value = header.startsWith('"') ? unquote(header) : header
  if (value === null || !visible.test(value) || value.length > lengthAtMost) {
    throw unusable(`must be 1 to ${lengthAtMost} visible ASCII characters, bare or as a quoted string`)
  }
  return value
}

function unquote(text: string): string | null {
  const content = quoted.exec(text)?.[1]
  return content?.replaceAll(/\\(["\\])/g, '$1') ?? null
}

function unusable(detail: string): Failure {
  return new Failure('invalid_request', {
    detail: `Idempotency-Key ${detail}`,
    errors: [{ parameter: 'Idempotency-Key', detail }],
    broken: [{ parameter: 'Idempotency-Key', rule: detail }],
  })
}

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
