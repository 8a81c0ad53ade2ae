import { hash } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import type { Alias } from '../../foundation/identifier.ts'
import { aliasesOf, foldAlias, isDerivedKey, type Identity } from '../identifiers/alias.ts'

/**
 * What the suppression list keeps of an alias. Keyed with a secret from outside the database: without it a copy of the
 * list does not tell whether someone is on it.
 */
export function suppressionHash(secret: string, kind: Kind, alias: Alias): string {
  const { type, value } = foldAlias(alias)
  return hmacSha256(secret, JSON.stringify([kind, type, value]))
}

/** The hashes of all names of an identity, its durable key included, and of what was asked for. */
export function suppressionHashes(secret: string, kind: Kind, identity: Identity, asked: Alias | null): string[] {
  return aliasesOf(kind, identity, asked).map((alias) => suppressionHash(secret, kind, alias))
}

/** A key that is derived from a slug, and its hash. */
export interface DerivedKey {
  alias: Alias
  hash: string
}

/** The derived keys among the names of an identity. They may have been given out for an earlier holder of its slug. */
export function derivedKeysOf(secret: string, kind: Kind, identity: Identity): DerivedKey[] {
  const derived = aliasesOf(kind, identity, null).filter(isDerivedKey)
  return derived.map((alias) => ({ alias, hash: suppressionHash(secret, kind, alias) }))
}

interface Pads {
  secret: string
  inner: Uint8Array
  /** The second part is where the inner hash goes. */
  outer: Buffer
}

const blockBytes = 64
let pads: Pads | null = null

/** HMAC (RFC 2104) by two hashes in one step each: an `Hmac` is an object that the garbage collector has to end. */
function hmacSha256(secret: string, text: string): string {
  const { inner, outer } = pads?.secret === secret ? pads : (pads = padsOf(secret))
  const message = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text))
  message.set(inner)
  message.write(text, blockBytes)
  // As a string of its bytes: a buffer would get memory of its own, which takes as long as the hash.
  outer.write(hash('sha256', message, 'binary'), blockBytes, 'latin1')
  return hash('sha256', outer)
}

function padsOf(secret: string): Pads {
  const bytes = Buffer.from(secret)
  const key = Buffer.alloc(blockBytes)
  key.set(bytes.length > blockBytes ? hash('sha256', bytes, 'buffer') : bytes)
  const outer = Buffer.alloc(blockBytes + 32)
  outer.set(key.map((byte) => byte ^ 0x5c))
  return { secret, inner: key.map((byte) => byte ^ 0x36), outer }
}
