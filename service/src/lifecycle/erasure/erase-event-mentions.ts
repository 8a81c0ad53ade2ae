import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/dialect.ts'
import { mentionedIn } from './scan-mentions.ts'
import type { SearchTerm } from './search-terms.ts'
import { bytesOfEvent } from './sqlite-residue/deleted-bytes.ts'

interface Scan {
  /** Only events about this kind of subject; both where none is given. */
  kind?: Kind
  searchTerms: SearchTerm[]
  /** Events about these are their own, and no mention. */
  exceptEntityIds: number[]
  /** The row of the last event that was looked at. */
  after: number
  limit: number
  dryRun: boolean
}

export interface EventMentions {
  found: number
  /** What the file held of them. */
  deleted: Uint8Array[]
  /** Pass it as `after` for the next chunk; null at the end. */
  next: number | null
}

/** Removes the events of a chunk in which a subject is mentioned, whomever they are about. */
export async function eraseEventMentions({ db: tx }: Connection, args: Scan): Promise<EventMentions> {
  const { kind, searchTerms, exceptEntityIds, after, limit, dryRun } = args
  const rows = await tx
    .selectFrom('events')
    .select(['id', 'public_id', 'type', 'data'])
    .where('id', '>', after)
    .where('entity_id', 'is not', null)
    .where('entity_id', 'not in', [...exceptEntityIds, -1])
    .orderBy('id')
    .limit(limit)
    .execute()
  const mentions = mentionedIn(searchTerms)
  const about = kind === 'companies' ? rows.filter(({ type }) => type.startsWith('company.')) : rows
  const hits = about.filter(({ data }) => mentions(Buffer.from(data)))
  const ids = hits.map(({ id }) => id)
  if (ids.length > 0 && !dryRun) {
    const names = hits.map((hit) => hit.public_id)
    // The events first: a delivery that is being noted holds its event until the note can be seen.
    await tx.deleteFrom('events').where('id', 'in', ids).execute()
    await tx.deleteFrom('webhook_deliveries').where('event_id', 'in', names).execute()
    await tx.deleteFrom('webhook_retries').where('event_id', 'in', names).execute()
  }
  const deleted = hits.flatMap(({ data }) => bytesOfEvent(data))
  return { found: hits.length, deleted, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
}
