import type { Company, Person } from '@vitae/contract'
import type { Connection, Tx } from '../../../../database/engine/dialect.ts'
import { archivePayload } from '../../../../records/rows/archive.ts'
import { forgetMentions } from '../../../../records/mentions/mention-rows.ts'
import { unpack } from '../../../../database/packing/pack.ts'
import { holdRecords } from '../../../../records/rows/locks.ts'
import { mentionTest } from './mentions.ts'
import type { SearchTerm } from './search-terms.ts'
import { redact } from './redact.ts'
import { mentionedIn, type MentionHit } from './scan-mentions.ts'
import { readJson } from '../../../../records/body/exact-json.ts'
import { serialiseRecord } from '../../../../records/body/record-bytes.ts'

interface Redacted {
  changed: number
  /** Whether the payload is no longer stored at all. */
  dropped?: boolean
  deleted: Uint8Array[]
}

/** Removes a subject from someone else's payload or version. */
export async function redactStored(
  connection: Connection,
  { hit, at }: { hit: MentionHit; at: number },
): Promise<Redacted> {
  await holdRecords(connection.db, connection.dialect)
  return 'hash' in hit
    ? redactPayload(connection, hit.hash, hit.searchTerms, at)
    : redactVersion(connection, hit.versionId, hit.searchTerms)
}

/** The rest of the payload is stored under its new hash, and its fetches record the redaction. */
async function redactPayload(
  { db: tx, dialect }: Connection,
  hash: string,
  searchTerms: SearchTerm[],
  at: number,
): Promise<Redacted> {
  const row = await tx.selectFrom('payloads').select('bytes').where('hash', '=', hash).executeTakeFirst()
  if (!row) return { changed: 0, dropped: false, deleted: [] }
  const { kept, changed } = withoutMentions(unpack(row.bytes), searchTerms)
  const redactedHash = kept ? await archivePayload(tx, dialect, kept, at) : null
  const fetches = await tx
    .updateTable('fetches')
    .set({ payload_hash: redactedHash, redacted: 1 })
    .where('payload_hash', '=', hash)
    .returning('id')
    .execute()
  await forgetMentions(
    tx,
    fetches.map(({ id }) => id),
  )
  await tx.deleteFrom('payloads').where('hash', '=', hash).execute()
  return { changed, dropped: kept === null, deleted: [row.bytes] }
}

/** Data that cannot be parsed, or still names the subject afterwards, is not kept at all. */
function withoutMentions(
  bytes: Uint8Array,
  searchTerms: readonly SearchTerm[],
): { kept: Uint8Array | null; changed: number } {
  const value = readJson(bytes)
  if (value === undefined) return { kept: null, changed: 1 }
  const changed = redact(value, mentionTest(searchTerms), { objects: true })
  const kept = Buffer.from(JSON.stringify(value))
  return mentionedIn(searchTerms)(kept) ? { kept: null, changed } : { kept, changed }
}

async function redactVersion(
  { db: tx, dialect }: Connection,
  versionId: number,
  searchTerms: SearchTerm[],
): Promise<Redacted> {
  const row = await versionRow(tx, versionId)
  if (!row) return { changed: 0, deleted: [] }
  const record = readJson(unpack(row.body)) as Person & Company
  const changed = redact(record, mentionTest(searchTerms), { objects: false })
  if (changed === 0) return { changed, deleted: [] }
  const { body, parts } = serialiseRecord(row.kind, record)
  await tx
    .updateTable('versions')
    .set({ body: dialect.pack(body), parts: JSON.stringify(parts) })
    .where('id', '=', versionId)
    .execute()
  if (row.fetch_id !== null) await forgetMentions(tx, [row.fetch_id])
  return { changed, deleted: [row.body] }
}

function versionRow(tx: Tx, versionId: number) {
  return tx
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select(['versions.body', 'versions.fetch_id', 'entities.kind'])
    .where('versions.id', '=', versionId)
    .executeTakeFirst()
}
