import type { Connection } from '../../database/dialect.ts'

/** How the newest calls ended. */
export interface RecentFailures {
  calls: number
  /** Those that failed here or at a provider, 5xx. */
  failures: number
  /** Their most frequent code; null where none failed. */
  code: string | null
}

const callsAtMost = 5_000

/** How the newest live calls since a moment ended. Only so many are looked at: the question is asked all day. */
export async function recentFailures(
  { db }: Connection,
  { project, since }: { project: string | null; since: number },
): Promise<RecentFailures> {
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom('calls')
        .select(['account_id', 'mode', 'status', 'code', 'repeats'])
        .where('at', '>=', since)
        .orderBy('at', 'desc')
        .limit(callsAtMost)
        .as('newest'),
    )
    .innerJoin('environments', 'environments.id', 'newest.account_id')
    .select(['newest.status', 'newest.code'])
    .select((eb) => eb.fn.countAll<number>().as('calls'))
    .where('newest.mode', '=', 'live')
    .$if(project !== null, (query) => query.where('environments.project', '=', project ?? ''))
    .groupBy(['newest.status', 'newest.code'])
    .execute()
  const counted = rows.map((row) => ({ ...row, calls: Number(row.calls) }))
  const failed = counted.filter(({ status }) => status >= 500).toSorted((a, b) => b.calls - a.calls)
  const sum = (of: typeof counted) => of.reduce((total, { calls }) => total + calls, 0)
  return { calls: sum(counted), failures: sum(failed), code: failed[0]?.code ?? null }
}
