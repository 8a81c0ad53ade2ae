import type { Database } from '../../database/dialect.ts'

/** How many versions there are, for the progress of a long job. */
export async function countVersions(
  { db }: Database,
  { provider, since }: { provider?: string; since?: number },
): Promise<number> {
  const row = await db
    .selectFrom('versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .$if(provider !== undefined, (query) => query.where('provider', '=', provider ?? ''))
    .$if(since !== undefined, (query) => query.where('fetched_at', '>=', since ?? 0))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
