import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Kind } from '@vitae/contract'
import type { Connection, Dialect, Tx } from '../../database/engine/dialect.ts'
import { runPrepared, sendPrepared } from '../../database/sql/prepared.ts'
import type { Alias } from '../../foundation/identifier.ts'
import { aliasText } from '../identifiers/alias.ts'
import { unpack } from '../../database/packing/pack.ts'

/** One upstream answer, or the lack of one. */
export interface FetchFacts {
  kind: Kind
  asked: Alias
  provider: string
  at: number
  status: number | null
  outcome: string
  cost: number | null
  durationMs: number | null
  /** The number of requests that the provider may bill; null if not counted. */
  requests?: number | null | undefined
  payload: Uint8Array | null
  /** Paths that were removed from the payload. */
  removed?: string | null | undefined
  entityId: number | null
}

const insertPayload = 'insert into payloads (hash, bytes, size, at) values (?, ?, ?, ?) on conflict (hash) do nothing'
const insertFetch = `
  insert into fetches
    (provider, kind, identifier, at, status, outcome, cost, payload_hash, entity_id, duration_ms, requests,
     removed, checksum, redacted)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) returning id`

/** The key of a payload: SHA-256 of its unchanged bytes. */
export function payloadHash(bytes: Uint8Array): string {
  return hash('sha256', bytes)
}

/** Stores bytes under their own hash; equal bytes are stored once. */
export async function archivePayload(tx: Tx, dialect: Dialect, bytes: Uint8Array, at: number): Promise<string> {
  const hash = payloadHash(bytes)
  await insertBytes(tx, dialect, { hash, bytes, at })
  return hash
}

function insertBytes(
  tx: Tx,
  dialect: Dialect,
  { hash, bytes, at }: { hash: string; bytes: Uint8Array; at: number },
): Promise<void> {
  return sendPrepared(tx, dialect, insertPayload, [hash, dialect.pack(bytes), bytes.byteLength, at])
}

/** Archives an upstream answer with its unchanged bytes. */
export async function archiveFetch(tx: Tx, dialect: Dialect, fetch: FetchFacts): Promise<number> {
  const { provider, kind, at, status, outcome, cost, entityId, durationMs, requests = null, removed = null } = fetch
  const hash = fetch.payload && payloadHash(fetch.payload)
  const asked = aliasText(fetch.asked)
  const facts = { provider, kind, at, status, outcome, cost, duration_ms: durationMs, requests, removed }
  const checksum = dialect.checksum('fetches', facts)
  const asking = [provider, kind, asked, at, status, outcome, cost, hash]
  const values = [...asking, entityId, durationMs, requests, removed, checksum]
  // Both are requested at once, so that on PostgreSQL they share a message.
  const [, [row]] = await Promise.all([
    hash && fetch.payload && insertBytes(tx, dialect, { hash, bytes: fetch.payload, at }),
    runPrepared<{ id: number }>(tx, dialect, insertFetch, values),
  ])
  if (!row) throw new Error('a fetch was given no id')
  return row.id
}

/** Deletes payloads that no fetch refers to any more. */
export async function dropUnusedPayloads(tx: Tx, hashes: readonly string[]): Promise<number> {
  if (hashes.length === 0) return 0
  const result = await tx
    .deleteFrom('payloads')
    .where('hash', 'in', [...hashes])
    .where(sql<boolean>`not exists (select 1 from fetches where fetches.payload_hash = payloads.hash)`)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

export interface RawPayload {
  fetchId: number
  provider: string
  kind: Kind
  identifier: string | null
  at: number
  status: number | null
  outcome: string
  cost: number | null
  durationMs: number | null
  entityId: number | null
  redacted: boolean
  /** Paths that were removed before it was archived. */
  removed: string[]
  /** Null once retention has removed the bytes. */
  payload: Uint8Array | null
}

/** An upstream answer as received, and the facts of the exchange. */
export async function rawPayload({ db }: Connection, { fetchId }: { fetchId: number }): Promise<RawPayload | null> {
  const row = await db
    .selectFrom('fetches')
    .leftJoin('payloads', 'payloads.hash', 'fetches.payload_hash')
    .selectAll('fetches')
    .select('payloads.bytes')
    .where('fetches.id', '=', fetchId)
    .executeTakeFirst()
  if (!row) return null
  return {
    fetchId: row.id,
    provider: row.provider,
    kind: row.kind,
    identifier: row.identifier,
    at: row.at,
    status: row.status,
    outcome: row.outcome,
    cost: row.cost,
    durationMs: row.duration_ms,
    entityId: row.entity_id,
    redacted: row.redacted === 1,
    removed: row.removed?.split(',') ?? [],
    payload: row.bytes ? unpack(row.bytes) : null,
  }
}
