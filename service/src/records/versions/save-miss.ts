import type { Database } from '../../database/dialect.ts'
import type { Identifier } from '../../foundation/identifier.ts'
import { holderOf, withdrawAlias } from '../entities/alias-rows.ts'
import { archiveFetch } from './archive.ts'
import { lockAliases, shareRecords } from '../entities/locks.ts'
import { anySuppressed } from '../suppression/suppressions.ts'

interface Exchange {
  identifier: Identifier
  /** Of the identifier: a subject erased during the call leaves no trace of it. */
  suppressionHash: string
  provider: string
  at: number
  status: number | null
  durationMs: number | null
  payload: Uint8Array | null
}

export interface SaveMiss extends Exchange {
  cost: number | null
}

export interface SaveFault extends Exchange {
  /** What kind of fault it was: `timeout`, `invalid`, ... */
  outcome: string
}

/** Keeps an upstream "no such record": the stored copy is withdrawn under this name, and the miss is remembered. */
export async function saveMiss({ db, dialect }: Database, args: SaveMiss): Promise<{ fetchId: number | null }> {
  const { identifier, at } = args
  return db.transaction().execute(async (tx) => {
    await shareRecords(tx, dialect)
    if (await anySuppressed(tx, dialect, [args.suppressionHash])) return { fetchId: null }
    await lockAliases(tx, dialect, identifier.kind, [identifier])
    const entityId = await holderOf(tx, identifier.kind, identifier)
    await withdrawAlias(tx, { kind: identifier.kind, alias: identifier, at })
    const fetchId = await archiveFetch(tx, dialect, {
      ...args,
      kind: identifier.kind,
      asked: identifier,
      outcome: 'not_found',
      entityId,
    })
    return { fetchId }
  })
}

/** Archives a faulty upstream answer, for a later investigation; nothing else changes. */
export async function saveFault({ db, dialect }: Database, args: SaveFault): Promise<{ fetchId: number | null }> {
  const { identifier } = args
  return db.transaction().execute(async (tx) => {
    await shareRecords(tx, dialect)
    if (await anySuppressed(tx, dialect, [args.suppressionHash])) return { fetchId: null }
    const entityId = await holderOf(tx, identifier.kind, identifier)
    const fetchId = await archiveFetch(tx, dialect, {
      ...args,
      kind: identifier.kind,
      asked: identifier,
      cost: null,
      entityId,
    })
    return { fetchId }
  })
}
