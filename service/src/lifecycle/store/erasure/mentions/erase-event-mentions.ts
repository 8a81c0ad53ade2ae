import type { Connection, Tx } from '../../../../database/engine/dialect.ts'
import { mentionSearch, type MentionSearch } from './mention-search.ts'
import { mentionedIn, type MentionScan } from './scan-mentions.ts'

/** An event that mentions a subject. */
interface EventMention {
  id: number
  publicId: string
  data: string
}

interface EventMentions {
  found: EventMention[]
  /** Pass it as `after` for the next chunk; null at the end. */
  next: number | null
}

const rowsPerStep = 2_000

/** The events in a chunk that mention a subject, even if they are about others. */
export async function findEventMentions({ db, rest }: Connection, scan: MentionScan): Promise<EventMentions> {
  const search = mentionSearch(scan.searchTerms)
  const except = new Set(scan.exceptEntityIds)
  const sum: EventMentions = { found: [], next: scan.after }
  for (let seen = 0; seen < scan.limit && sum.next !== null; seen += rowsPerStep) {
    const page = await pageOf(db, sum.next)
    for (const { id, public_id: publicId, entity_id: about, type, data } of page)
      if (!except.has(about ?? 0) && names(search, type, data)) sum.found.push({ id, publicId, data })
    sum.next = page.length < rowsPerStep ? null : (page.at(-1)?.id ?? null)
    if (sum.next !== null) await rest?.()
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

/** Removes events and the records of their deliveries. */
export async function eraseEvents(
  { db: tx }: Connection,
  { events }: { events: readonly Pick<EventMention, 'id' | 'publicId'>[] },
): Promise<void> {
  const ids = events.map(({ id }) => id)
  const names = events.map((event) => event.publicId)
  // The events first: recording a delivery locks its event until the record is visible.
  await tx.deleteFrom('events').where('id', 'in', ids).execute()
  await tx.deleteFrom('webhook_deliveries').where('event_id', 'in', names).execute()
  await tx.deleteFrom('webhook_retries').where('event_id', 'in', names).execute()
}
