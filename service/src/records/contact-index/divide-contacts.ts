import type { Kind } from '@vitae/contract'
import type { Tx } from '../../database/engine/dialect.ts'
import type { ContactName } from './contact-rows.ts'

interface Side {
  entityId: number
  facts: readonly { fetchId: number | null; fetchedAt: number; contacts: readonly ContactName[] }[]
}

/**
 * Divides the contact index of an entity that was split. Contact details go to the subject whose records contain them.
 * A learned match goes to the subject of the fetch that it led to. A match without such a fetch is deleted, and the
 * next one asks the providers.
 */
export async function divideContacts(tx: Tx, { kind, kept, moved }: { kind: Kind; kept: Side; moved: Side }) {
  const rows = await tx.selectFrom('contact_index').selectAll().where('entity_id', '=', kept.entityId).execute()
  if (rows.length === 0) return
  await tx.deleteFrom('contact_index').where('entity_id', '=', kept.entityId).execute()
  const learnedAt = new Map<Side, Set<number>>()
  for (const side of [kept, moved]) learnedAt.set(side, await timesOf(tx, side))
  const divided = rows.flatMap((row) => {
    const holders = [kept, moved].filter((side) =>
      row.origin === 'match' ? learnedAt.get(side)?.has(row.at) : has(side, row.value),
    )
    // Details that only removed versions had stay with the entity that keeps the key.
    const heirs = holders.length === 0 && row.origin === 'former' ? [kept] : holders
    return heirs.map((side) => ({ ...row, kind, entity_id: side.entityId }))
  })
  if (divided.length > 0) await tx.insertInto('contact_index').values(divided).execute()
  for (const side of [kept, moved]) await showServed(tx, side)
}

function has({ facts }: Side, value: string): boolean {
  return facts.some(({ contacts }) => contacts.some((one) => one.value === value))
}

/** When the fetches of a subject were saved: a learned match has the time of one of them. */
async function timesOf(tx: Tx, { facts }: Side): Promise<Set<number>> {
  const ids = facts.flatMap(({ fetchId }) => fetchId ?? [])
  const rows = await tx
    .selectFrom('fetches')
    .select('at')
    .where('id', 'in', [...ids, -1])
    .execute()
  return new Set(rows.map(({ at }) => at))
}

/** Only the details of the newest record find its subject. */
async function showServed(tx: Tx, { entityId, facts }: Side): Promise<void> {
  const newest = facts.toSorted((a, b) => b.fetchedAt - a.fetchedAt)[0]
  const values = newest?.contacts.map(({ value }) => value) ?? []
  const own = tx.updateTable('contact_index').where('entity_id', '=', entityId)
  await own.set({ origin: 'former' }).where('origin', '=', 'contact').execute()
  await own
    .set({ origin: 'contact' })
    .where('origin', '=', 'former')
    .where('value', 'in', [...values, ''])
    .execute()
}
