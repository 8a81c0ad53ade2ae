import type { Connection, Dialect, Tx } from '../../database/engine/dialect.ts'
import { sendPrepared, inChunks } from '../../database/sql/prepared.ts'
import { unpack } from '../../database/packing/pack.ts'
import { printsOf } from './name-prints.ts'

const insertRow = 'insert into mentions (fetch_id, prints, checksum) values (?, ?, ?)'

/** The row of a fetch, computed from its payload and its record. */
export function mentionsRow(dialect: Dialect, fetchId: number, bodies: readonly Uint8Array[]) {
  const [payload, record] = bodies
  // Some providers return our own format.
  const isSame = payload && record && Buffer.compare(payload, record) === 0
  const row = { fetch_id: fetchId, prints: printsOf(isSame ? [payload] : bodies) }
  return { ...row, checksum: dialect.checksum('mentions', row) }
}

/** Stores the name prints of a fetch. */
export async function writeMentions(
  tx: Tx,
  dialect: Dialect,
  fetchId: number,
  bodies: readonly Uint8Array[],
): Promise<void> {
  const row = mentionsRow(dialect, fetchId, bodies)
  await sendPrepared(tx, dialect, insertRow, [row.fetch_id, row.prints, row.checksum])
}

/**
 * Deletes the prints of fetches that are removed or whose content changed. Until they are stored again, the content
 * itself is searched.
 */
export async function forgetMentions(tx: Tx, fetchIds: readonly number[]): Promise<void> {
  for (const chunk of inChunks(fetchIds, 500)) await tx.deleteFrom('mentions').where('fetch_id', 'in', chunk).execute()
}

export interface MentionsFilled {
  filled: number
  /** Pass it as `after` for the next step; null at the end. */
  next: number | null
}

/** Creates missing rows: of fetches from earlier versions, and of content that has changed since. */
export async function fillMentions(
  { db: tx, dialect }: Connection,
  { after, limit, bodies: bodiesAtMost }: { after: number; limit: number; bodies: number },
): Promise<MentionsFilled> {
  const page = await tx
    .selectFrom('fetches')
    .leftJoin('mentions', 'mentions.fetch_id', 'fetches.id')
    .select(['fetches.id', 'fetches.payload_hash', 'mentions.fetch_id as noted'])
    .where('fetches.id', '>', after)
    .orderBy('fetches.id')
    .limit(limit)
    .execute()
  const missing = page.filter(({ noted }) => noted === null)
  const now = missing.slice(0, bodiesAtMost)
  const rows = []
  for (const fetch of now) {
    const bodies = await bodiesOf(tx, fetch)
    if (bodies.length > 0) rows.push(mentionsRow(dialect, fetch.id, bodies))
  }
  if (rows.length > 0)
    await tx
      .insertInto('mentions')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  const last = missing.length > now.length ? now.at(-1) : page.at(-1)
  const isEnd = page.length < limit && missing.length === now.length
  return { filled: rows.length, next: isEnd ? null : (last?.id ?? null) }
}

async function bodiesOf(tx: Tx, fetch: { id: number; payload_hash: string | null }): Promise<Uint8Array[]> {
  const payloads =
    fetch.payload_hash === null
      ? []
      : await tx.selectFrom('payloads').select('bytes').where('hash', '=', fetch.payload_hash).execute()
  const versions = await tx.selectFrom('versions').select('body').where('fetch_id', '=', fetch.id).execute()
  return [...payloads.map(({ bytes }) => bytes), ...versions.map(({ body }) => body)].map(unpack)
}
