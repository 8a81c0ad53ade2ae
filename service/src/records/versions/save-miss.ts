import { countProviderCalls, type CallCount } from '../../database/sql/count-provider-calls.ts'
import type { Connection, Dialect, Tx } from '../../database/dialect.ts'
import type { Identifier } from '../../foundation/identifier.ts'
import { holderOf, noteDenials, withdrawAlias } from '../entities/alias-rows.ts'
import { archiveFetch, type FetchFacts } from './archive.ts'
import { writeMentions } from '../mentions/mention-rows.ts'
import { lockAliases, shareRecords } from '../entities/locks.ts'
import { insertHiddenMiss, anySuppressed } from '../suppression/suppressions.ts'

interface Exchange {
  identifier: Identifier
  /** Of the identifier: a subject erased during the call leaves no trace of it. */
  suppressionHash: string
  provider: string
  at: number
  status: number | null
  durationMs: number | null
  requests?: number | undefined
  payload: Uint8Array | null
  /** Calls of providers to be counted with it. */
  counts?: readonly CallCount[]
}

export interface SaveMiss extends Exchange {
  cost: number | null
  /** Those who said so, where they are not the whole chain: then no copy is withdrawn from others. */
  deniedBy?: readonly string[] | null | undefined
}

export interface SaveFault extends Exchange {
  /** What kind of fault it was: `timeout`, `invalid`, ... */
  outcome: string
}

interface SavedAnswer {
  fetchId: number | null
}

/**
 * Keeps an upstream "no such record": the stored copy is withdrawn under this name, and the miss is remembered; for all, or for
 * the environments that may ask nobody else.
 */
export async function saveMiss({ db: tx, dialect }: Connection, args: SaveMiss): Promise<SavedAnswer> {
  const { identifier, at } = args
  const { kind } = identifier
  await countProviderCalls(tx, dialect, args.counts)
  await shareRecords(tx, dialect)
  if (await anySuppressed(tx, dialect, [args.suppressionHash])) {
    await insertHiddenMiss(tx, dialect, args.suppressionHash, at)
    return { fetchId: null }
  }
  await lockAliases(tx, dialect, kind, [identifier])
  const entityId = await holderOf(tx, kind, identifier)
  if (args.deniedBy) await noteDenials(tx, { kind, alias: identifier, at, providers: args.deniedBy })
  else await withdrawAlias(tx, { kind, alias: identifier, at })
  const facts = { ...args, kind, asked: identifier, outcome: 'not_found', entityId }
  return archiveAnswer(tx, dialect, facts)
}

/** Archives a faulty upstream answer, for a later investigation; nothing else changes. */
export async function saveFault({ db: tx, dialect }: Connection, args: SaveFault): Promise<SavedAnswer> {
  const { identifier } = args
  const { kind } = identifier
  await countProviderCalls(tx, dialect, args.counts)
  await shareRecords(tx, dialect)
  if (await anySuppressed(tx, dialect, [args.suppressionHash])) return { fetchId: null }
  const entityId = await holderOf(tx, kind, identifier)
  const facts = { ...args, kind, asked: identifier, cost: null, entityId }
  return archiveAnswer(tx, dialect, facts)
}

async function archiveAnswer(tx: Tx, dialect: Dialect, facts: FetchFacts): Promise<SavedAnswer> {
  const fetchId = await archiveFetch(tx, dialect, facts)
  if (facts.payload) await writeMentions(tx, dialect, fetchId, [facts.payload])
  return { fetchId }
}
