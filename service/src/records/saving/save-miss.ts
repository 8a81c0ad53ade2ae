import type { Connection, Dialect, Tx } from '../../database/engine/dialect.ts'
import type { Identifier } from '../../foundation/identifier.ts'
import { holderOf, noteDenials, withdrawAlias } from '../rows/alias-rows.ts'
import { forgetFolds } from '../versions/fold-rows.ts'
import { archiveFetch, type FetchFacts } from '../rows/archive.ts'
import { writeMentions } from '../mentions/mention-rows.ts'
import { lockAliases, shareRecords } from '../rows/locks.ts'
import { insertHiddenMiss, anySuppressed } from '../suppression/suppressions.ts'

interface Exchange {
  identifier: Identifier
  /** The hash of the identifier: a subject erased during the call must leave no trace. */
  suppressionHash: string
  provider: string
  at: number
  status: number | null
  durationMs: number | null
  requests?: number | undefined
  payload: Uint8Array | null
  /** Paths that were removed from the payload. */
  removed?: string | null | undefined
}

export interface SaveMiss extends Exchange {
  cost: number | null
  /**
   * The providers that denied it, if they are not the whole chain: then no copy is withdrawn from other environments.
   */
  deniedBy?: readonly string[] | null | undefined
}

export interface SaveFault extends Exchange {
  /** The provider has no such record, although another one does or may have it. */
  isDenial?: boolean | undefined
  /** The kind of fault: `timeout`, `invalid`, ... */
  outcome: string
}

interface SavedAnswer {
  fetchId: number | null
  /** The record whose name was denied: earlier data of that provider no longer fills it. */
  deniedId: number | null
}

/**
 * Saves an upstream "no such record". The copy under this name is withdrawn and the miss remembered, for all
 * environments or for those that can ask only these providers.
 */
export async function saveMiss({ db: tx, dialect }: Connection, args: SaveMiss): Promise<SavedAnswer> {
  const { identifier, at } = args
  const { kind } = identifier
  await shareRecords(tx, dialect)
  if (await anySuppressed(tx, dialect, [args.suppressionHash])) {
    await insertHiddenMiss(tx, dialect, args.suppressionHash, at)
    return { fetchId: null, deniedId: null }
  }
  await lockAliases(tx, dialect, kind, [identifier])
  const entityId = await holderOf(tx, kind, identifier)
  const { deniedBy, provider } = args
  if (!deniedBy) await withdrawAlias(tx, { kind, alias: identifier, at })
  if (deniedBy || entityId !== null)
    await deny(tx, { kind, alias: identifier, at, providers: deniedBy ?? [provider], entityId })
  const facts = { ...args, kind, asked: identifier, outcome: 'not_found', entityId }
  return { fetchId: await archiveAnswer(tx, dialect, facts), deniedId: entityId }
}

/** Records which provider answered that a name does not exist, and clears the fold of its record. */
async function deny(tx: Tx, denial: Parameters<typeof noteDenials>[1] & { entityId: number | null }): Promise<void> {
  await noteDenials(tx, denial)
  if (denial.entityId !== null) await forgetFolds(tx, [denial.entityId])
}

/**
 * Archives an upstream answer without a record, for later investigation. Nothing else changes unless it denies the
 * record.
 */
export async function saveFault({ db: tx, dialect }: Connection, args: SaveFault): Promise<SavedAnswer> {
  const { identifier, isDenial = false, provider, at } = args
  const { kind } = identifier
  await shareRecords(tx, dialect)
  if (await anySuppressed(tx, dialect, [args.suppressionHash])) return { fetchId: null, deniedId: null }
  if (isDenial) await lockAliases(tx, dialect, kind, [identifier])
  const entityId = await holderOf(tx, kind, identifier)
  if (isDenial) await deny(tx, { kind, alias: identifier, at, providers: [provider], entityId })
  const facts = { ...args, kind, asked: identifier, cost: null, entityId }
  return { fetchId: await archiveAnswer(tx, dialect, facts), deniedId: isDenial ? entityId : null }
}

async function archiveAnswer(tx: Tx, dialect: Dialect, facts: FetchFacts): Promise<number> {
  const fetchId = await archiveFetch(tx, dialect, facts)
  if (facts.payload) await writeMentions(tx, dialect, fetchId, [facts.payload])
  return fetchId
}
