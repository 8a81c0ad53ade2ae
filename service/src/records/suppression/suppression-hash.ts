import { createHmac } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import type { Alias } from '../../foundation/identifier.ts'
import { aliasesOf, foldAlias, type Identity } from '../identifiers/alias.ts'

/**
 * What the suppression list keeps of an alias. Keyed with a secret from outside the database: without it a copy of the
 * list does not tell whether someone is on it.
 */
export function suppressionHash(secret: string, kind: Kind, alias: Alias): string {
  const { type, value } = foldAlias(alias)
  return createHmac('sha256', secret)
    .update(JSON.stringify([kind, type, value]))
    .digest('hex')
}

/** The hashes of all names of an identity, its durable key included, and of what was asked for. */
export function suppressionHashes(secret: string, kind: Kind, identity: Identity, asked: Alias | null): string[] {
  return aliasesOf(kind, identity, asked).map((alias) => suppressionHash(secret, kind, alias))
}
