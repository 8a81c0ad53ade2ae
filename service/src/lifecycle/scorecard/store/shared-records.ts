import type { Connection } from '../../../database/dialect.ts'

interface SharedAsk {
  since: number
  until: number
  /** Where to begin, going back in time. */
  before: number
  /** About how many versions to look at. */
  rows: number
}

/** Records of which two providers gave a version in a span, newest first. */
export async function sharedRecords(
  { db }: Connection,
  { since, until, before, rows }: SharedAsk,
): Promise<{ entityIds: number[]; next: number | null }> {
  const row = await db
    .selectFrom('versions')
    .select('fetched_at')
    .where('fetched_at', '>=', since)
    .where('fetched_at', '<', before)
    .orderBy('fetched_at', 'desc')
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst()
  const start = row?.fetched_at ?? since
  const found = await db
    .selectFrom('versions')
    .select('entity_id')
    .distinct()
    .where('fetched_at', '>=', start)
    .where('fetched_at', '<', before)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('versions as others')
          .select('others.id')
          .whereRef('others.entity_id', '=', 'versions.entity_id')
          .whereRef('others.provider', '!=', 'versions.provider')
          .where('others.fetched_at', '>=', since)
          .where('others.fetched_at', '<', until),
      ),
    )
    .execute()
  return { entityIds: found.map(({ entity_id: id }) => id), next: start > since ? start : null }
}
