import type { Kind } from '@vitae/contract'
import type { BrokenRule, LimitMet } from '../foundation/failure.ts'
import type { Connection } from '../database/engine/dialect.ts'
import type { Alias } from '../foundation/identifier.ts'
import { shareRecords } from './rows/locks.ts'
import { aliasText, readAliasText } from './identifiers/alias.ts'
import { insertRows, type Value } from '../database/sql/prepared.ts'
import { hiddenMissesAmong, suppressedAmong } from './suppression/suppressions.ts'

/** The steps of a call that are timed. */
export const timedSteps = ['authorize', 'recall', 'hold', 'fetch', 'save', 'capture', 'release'] as const
export type TimedStep = (typeof timedSteps)[number]

/** The course of a call. It names nobody: causes are our own words, and the identifier is stored separately. */
export interface Explanation {
  /** The decision of the freshness rule; null if the call ended before it. */
  freshness: { decision: string; reason: string; copyAgeMs: number | null; maxAgeMs: number | null } | null
  attempts: {
    provider: string
    outcome: string
    status: number | null
    cause: string | null
    /** The possible cost of its requests for the operator; null or absent if it has no price. */
    cost?: number | null
    durationMs: number
  }[]
  /** Why no provider could be asked. */
  cause: string | null
  /** The call whose fetch this one waited for. */
  fetchedBy: string | null
  timings: Partial<Record<TimedStep, number>>
  /** Options of the call that differ from the defaults, such as `bypass_cache=true`. */
  options?: string[]
  /** Set for a 402. */
  limit?: LimitMet
  /** Set for a 400. */
  broken?: BrokenRule[]
  /** The subject is suppressed. */
  suppressed?: true
  /**
   * The attempts were not made. They are those of an unknown subject, which callers must not be able to distinguish
   * from a suppressed one.
   */
  presumed?: true
}

/** One call with its explanation. */
export interface CallDetails {
  requestId: string
  at: number
  kind: Kind
  /** The requested identifier; null if it could not be parsed. */
  identifier: Alias | null
  /** The hash of the identifier: for a suppressed subject, even the identifier is not stored. */
  suppressionHash: string
  /** The answer was about a suppressed subject, under any name. */
  isSuppressed: boolean
  explanation: Explanation
}

/** Stores explanations of calls. The identifier is left out if its subject is suppressed. */
export async function saveCallDetails(
  { db: tx, dialect }: Connection,
  { calls }: { calls: CallDetails[] },
): Promise<void> {
  await shareRecords(tx, dialect)
  const hashes = [...new Set(calls.flatMap((call) => (call.identifier ? call.suppressionHash : [])))]
  const listed = await suppressedAmong(tx, dialect, hashes)
  // A name that led to a suppressed subject before is not stored either.
  const hidden = await hiddenMissesAmong(tx, dialect, hashes)
  const isOut = ({ isSuppressed, suppressionHash: hash }: CallDetails) =>
    isSuppressed || listed.has(hash) || hidden.has(hash)
  await insertRows({ db: tx, dialect }, callDetailRows(isOut), calls)
}

function callDetailRows(isOut: (call: CallDetails) => boolean) {
  const columns = ['request_id', 'at', 'kind', 'identifier', 'explanation'] as const
  const put = (call: CallDetails, values: Value[]) => {
    const { requestId, at, kind, identifier, explanation } = call
    const suppressed = isOut(call)
    const asked = identifier && !suppressed ? aliasText(identifier) : null
    const text = JSON.stringify(suppressed ? { ...explanation, suppressed } : explanation)
    values.push(requestId, at, kind, asked, text)
  }
  return { table: 'call_details', columns, put, onConflict: 'on conflict (request_id) do nothing' } as const
}

/** The stored explanation of a call; null if none was stored. */
export interface KnownDetails {
  identifier: Alias | null
  explanation: Explanation | null
}

/**
 * The identifier that a call asked for, and why the call ended as it did. A plain answer from the store has no details;
 * then the identifier is the name of the served record.
 */
export async function callDetails(
  { db }: Connection,
  { requestId, entityId }: { requestId: string; entityId: number | null },
): Promise<KnownDetails> {
  const row = await db
    .selectFrom('call_details')
    .select(['identifier', 'explanation'])
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  // Written by saveCallDetails.
  if (row) return { identifier: readAliasText(row.identifier), explanation: JSON.parse(row.explanation) as Explanation }
  return { identifier: entityId === null ? null : await nameOf(db, entityId), explanation: null }
}

async function nameOf(db: Connection['db'], entityId: number): Promise<Alias | null> {
  const merged = await db.selectFrom('merged_entities').select('into_id').where('id', '=', entityId).executeTakeFirst()
  const slug = await db
    .selectFrom('aliases')
    .select(['type', 'value'])
    .where('entity_id', '=', merged?.into_id ?? entityId)
    .where('type', '=', 'slug')
    .orderBy('seen_at', 'desc')
    .executeTakeFirst()
  return slug ?? null
}
