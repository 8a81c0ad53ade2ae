import type { Kind } from '@vitae/contract'
import { sql } from 'kysely'
import type { Connection } from '../database/engine/dialect.ts'
import { durationStep } from '../database/sql/expressions.ts'

interface SliceAsk {
  since: number
  until: number
  /** The approximate number of calls to read. */
  rows: number
  /** The number of records per provider and kind whose fetch is returned. */
  sample: number
}

/** Calls of one provider with the same outcome and a similar duration. */
export interface ProviderCalls {
  provider: string
  kind: Kind
  outcome: string
  /** 1 = a thin record; null if there is no record. */
  thin: number | null
  step: number | null
  calls: number
  /** The cost that the provider reported, in its own credits, and the number of calls with a reported cost. */
  cost: number
  costed: number
  /** The number of requests that it may bill. */
  requests: number
}

export interface CallSlice {
  counts: ProviderCalls[]
  /** The newest fetches that returned a record. */
  samples: { id: number; provider: string; kind: Kind }[]
  /** The end of the preceding slice; null if this is the first. */
  next: number | null
}

/** Before requests were counted, an answer counted as one request and a fault as none. */
const billedRequests = sql<number>`sum(coalesce(fetches.requests, case when fetches.outcome in ('found', 'not_found') then 1 else 0 end))`

/** Counts the newest upstream calls of a period, limited so that payments do not wait. */
export async function providerCallSlice({ db }: Connection, ask: SliceAsk): Promise<CallSlice> {
  const { until, sample } = ask
  const since = await startOfSlice(db, ask)
  const rows = await db
    .selectFrom('fetches')
    .leftJoin('versions', 'versions.fetch_id', 'fetches.id')
    .select(['fetches.provider', 'fetches.kind', 'fetches.outcome', 'versions.thin', durationStep.as('step')])
    .select(({ fn }) => [fn.countAll<number>().as('calls'), fn.sum<number | null>('fetches.cost').as('cost')])
    .select(({ fn }) => fn.count<number>('fetches.cost').as('costed'))
    .select(billedRequests.as('requests'))
    .where('fetches.at', '>=', since)
    .where('fetches.at', '<', until)
    // An import was not a call, and an answer that was retried belongs to the call that followed.
    .where('fetches.outcome', 'not in', ['imported', 'interim'])
    .groupBy(['fetches.provider', 'fetches.kind', 'fetches.outcome', 'versions.thin', durationStep])
    .execute()
  const counts = rows.map((row) => ({
    ...row,
    calls: Number(row.calls),
    cost: Number(row.cost ?? 0),
    costed: Number(row.costed),
    requests: Number(row.requests),
  }))
  if (sample === 0) return { counts, samples: [], next: since > ask.since ? since : null }
  const samples = await sql<CallSlice['samples'][number]>`select id, provider, kind from (
    select id, provider, kind, row_number() over (partition by provider, kind order by at desc, id desc) as place
    from fetches where at >= ${since} and at < ${until} and outcome in ('found', 'imported')) as ranked
    where place <= ${sample}`.execute(db)
  return { counts, samples: samples.rows, next: since > ask.since ? since : null }
}

/** The time at which the newest `rows` calls of a span begin. */
export async function startOfSlice(
  db: Connection['db'],
  { since, until, rows }: Pick<SliceAsk, 'since' | 'until' | 'rows'>,
): Promise<number> {
  const row = await db
    .selectFrom('fetches')
    .select('at')
    .where('at', '>=', since)
    .where('at', '<', until)
    .orderBy('at', 'desc')
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst()
  return row?.at ?? since
}
