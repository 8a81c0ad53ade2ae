import type { Database, Tx } from '../../../database/dialect.ts'
import { mentionSearch, type MentionSearch } from './mention-search.ts'
import { mentionedIn } from './scan-mentions.ts'
import type { SearchTerm } from './search-terms.ts'
import { bytesOfEvent } from '../sqlite-residue/deleted-bytes.ts'

interface Scan {
  searchTerms: SearchTerm[]
  /** Events about these are their own, and no mention. */
  exceptEntityIds: number[]
  /** The row of the last event that was looked at. */
  after: number
  /** How many to look at. */
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

const rowsPerStep = 2_000

/** Removes the events of a chunk in which a subject is mentioned, whomever they are about. */
export async function eraseEventMentions(database: Database, scan: Scan): Promise<EventMentions> {
  const search = mentionSearch(scan.searchTerms)
  const except = new Set(scan.exceptEntityIds)
  const sum: EventMentions = { found: 0, deleted: [], next: scan.after }
  for (let seen = 0; seen < scan.limit && sum.next !== null; seen += rowsPerStep) {
    const after = sum.next
    const page = await database.read(({ db }) => pageOf(db, after))
    const hits = page.filter(({ entity_id: about, type, data }) => !except.has(about ?? 0) && names(search, type, data))
    if (hits.length > 0 && !scan.dryRun) await database.write(({ db }) => removeEvents(db, hits))
    sum.found += hits.length
    sum.deleted.push(...hits.flatMap(({ data }) => bytesOfEvent(data)))
    sum.next = page.length < rowsPerStep ? null : (page.at(-1)?.id ?? null)
  }
  return sum
}

function pageOf(db: Tx, after: number) {
  return db
    .selectFrom('events')
    .select(['id', 'public_id', 'type', 'entity_id', 'data'])
    .where('id', '>', after)
    .where('entity_id', 'is not', null)
    .orderBy('id')
    .limit(rowsPerStep)
    .execute()
}

function names(search: MentionSearch, type: string, data: string): boolean {
  const body = Buffer.from(data)
  const terms = search.termsIn(type.startsWith('company.') ? 'companies' : 'people', body)
  return terms.length > 0 && mentionedIn(terms)(body)
}

async function removeEvents(tx: Tx, events: readonly { id: number; public_id: string }[]): Promise<void> {
  const ids = events.map(({ id }) => id)
  const names = events.map((event) => event.public_id)
  // The events first: a delivery that is being noted holds its event until the note can be seen.
  await tx.deleteFrom('events').where('id', 'in', ids).execute()
  await tx.deleteFrom('webhook_deliveries').where('event_id', 'in', names).execute()
  await tx.deleteFrom('webhook_retries').where('event_id', 'in', names).execute()
}
