import { createHash } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import type { Dialect, Tx } from '../../database/engine/dialect.ts'
import { identifierKey, type Alias } from '../../foundation/identifier.ts'

/** A row that does not exist yet cannot be locked, so these locks have numbers. */
const recordsLock = 7_184_237_010

/**
 * Shared lock of every transaction that writes one record: these run concurrently, but not together with `holdRecords`.
 */
export async function shareRecords(tx: Tx, dialect: Dialect): Promise<void> {
  await dialect.sharedLock(tx, recordsLock)
}

/**
 * Exclusive lock against all writers: an erasure must not run while a fetch that has already checked for suppression is
 * being saved.
 */
export async function holdRecords(tx: Tx, dialect: Dialect): Promise<void> {
  await dialect.advisoryLock(tx, recordsLock, 'patient')
}

/** Serialises saves that share an alias. Locks are taken in numeric order, so that they cannot deadlock. */
export async function lockAliases(tx: Tx, dialect: Dialect, kind: Kind, aliases: readonly Alias[]): Promise<void> {
  if (!dialect.locksRows) return
  const numbers = aliases.map((alias) => lockNumber(kind, alias)).toSorted((a, b) => a - b)
  await dialect.advisoryLocks(tx, numbers)
}

function lockNumber(kind: Kind, alias: Alias): number {
  return createHash('sha256')
    .update(identifierKey({ ...alias, kind }))
    .digest()
    .readUIntBE(0, 6)
}
