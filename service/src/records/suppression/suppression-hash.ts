import { hash } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import type { Alias } from '../../foundation/identifier.ts'
import { aliasesOf, foldAlias, isDerivedKey, type Identity } from '../identifiers/alias.ts'

/**
 * The hash of an alias in the suppression list. It is keyed with a secret from outside the database: without the secret
 * a copy of the list does not reveal whether someone is on it.
 */
export function suppressionHash(secret: string, kind: Kind, alias: Alias): string {
  const { type, value } = foldAlias(alias)
  return hmacSha256(secret, JSON.stringify([kind, type, value]))
}

/** The hashes of all names of an identity, including its durable key and the requested identifier. */
export function suppressionHashes(secret: string, kind: Kind, identity: Identity, asked: Alias | null): string[] {
  return aliasesOf(kind, identity, asked).map((alias) => suppressionHash(secret, kind, alias))
}

/** A key derived from a slug, and its hash. */
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
  /** The second part receives the inner hash. */
  outer: Buffer
}

const blockBytes = 64
let pads: Pads | null = null

/** HMAC (RFC 2104) with two one-shot hashes: an `Hmac` object would need finalising by the garbage collector. */
function hmacSha256(secret: string, text: string): string {
  const { inner, outer } = pads?.secret === secret ? pads : (pads = padsOf(secret))
  const message = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text))
  message.set(inner)
  message.write(text, blockBytes)
  // Written as a binary string: allocating a buffer would take as long as the hash.
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
