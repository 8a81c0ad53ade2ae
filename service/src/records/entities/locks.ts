import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Kind } from '@vitae/contract'
import { withBriefWaits } from '../../database/postgres/brief-lock.ts'
import type { Dialect, Tx } from '../../database/dialect.ts'
import { identifierKey, type Alias } from '../../foundation/identifier.ts'

/*
 * SQLite has one connection, so its transactions run one after another and need no locks. On PostgreSQL many nodes
 * write at once, and a row that does not exist yet cannot be locked, so advisory locks are used.
 */
const recordsLock = 7_184_237_010

/**
 * Shared lock of every transaction that writes one record: these run concurrently, but not together with `holdRecords`.
 */
export async function shareRecords(tx: Tx, dialect: Dialect): Promise<void> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock_shared(${sql.lit(recordsLock)})`.execute(tx)
}

/**
 * Exclusive lock against all writers: an erasure must not run while a fetch that has already checked for suppression is
 * being saved.
 */
export async function holdRecords(tx: Tx, dialect: Dialect): Promise<void> {
  if (dialect !== 'postgres') return
  await withBriefWaits(tx, () => sql`select pg_advisory_xact_lock(${sql.lit(recordsLock)})`.execute(tx))
}

/** Serialises saves that share an alias. Locks are taken in numeric order, so that they cannot deadlock. */
export async function lockAliases(tx: Tx, dialect: Dialect, kind: Kind, aliases: readonly Alias[]): Promise<void> {
  if (dialect !== 'postgres') return
  const numbers = aliases.map((alias) => lockNumber(kind, alias)).toSorted((a, b) => a - b)
  await sql`select pg_advisory_xact_lock(number) from unnest(${numbers}::bigint[]) as number`.execute(tx)
}

function lockNumber(kind: Kind, alias: Alias): number {
  return createHash('sha256')
    .update(identifierKey({ ...alias, kind }))
    .digest()
    .readUIntBE(0, 6)
}
