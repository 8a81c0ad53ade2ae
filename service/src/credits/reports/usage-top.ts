import { sql } from 'kysely'
import type { Connection } from '../../database/engine/dialect.ts'
import type { UsageAsk, UsageNames } from './usage-ask.ts'
import { countedCalls, namedIn, namesBy, sortKey, timeOf, type CountRow } from './usage-sql.ts'

/** Calls of a period and of a place in the ranking; place -1 stands for all groups that are not listed. */
interface PlacedCount {
  at: number
  place: number
  calls: number
  credits: number
}

/** A listed group; of a key, its label. */
type ListedGroup = UsageNames & { key_label?: string | null; key_display?: string }

export interface RankedUsage {
  /** The listed groups, the most expensive first. */
  listed: ListedGroup[]
  /** The number of all groups. */
  groups: number
  /** In the order of time and places; the groups that are not listed come last. */
  counts: PlacedCount[]
  /** Of the preceding time range of the same length, if requested. */
  before: PlacedCount[]
}

/** Counts the groups that spent most over the whole time range, and all others together. */
export async function rankUsage(
  connection: Connection,
  { ask, top, skip, compare }: { ask: UsageAsk; top: number; skip: number; compare: boolean },
): Promise<RankedUsage> {
  const names = namesBy(ask.by)
  const ranked = await rankedGroups(connection, { ...ask, bucket: null }, top, skip)
  const listed = ranked.filter(({ place }) => place >= 0).map((row) => namedIn(row, names))
  const earlier = { ...ask, since: 2 * ask.since - ask.until, until: ask.since, bucket: null }
  return {
    listed: await labelled(connection, listed),
    groups: ranked.reduce((sum, row) => sum + Number(row.groups), 0),
    counts: ask.bucket === null ? ranked.map((row) => placed(ask, row)) : await placedCounts(connection, ask, listed),
    before: compare ? await placedCounts(connection, earlier, listed) : [],
  }
}

type RankedRow = CountRow & { place: number; groups: number }

/** The listed groups, and one row for all others. */
async function rankedGroups(connection: Connection, ask: UsageAsk, top: number, skip: number): Promise<RankedRow[]> {
  const names = namesBy(ask.by)
  const columns = names.map((name) => sql.ref(name))
  const { rows } = await sql<RankedRow>`
    with ranked as (
      select ${sql.join([...columns, sql`sum(calls) as calls, sum(credits) as credits`])},
        row_number() over (order by sum(credits) desc, sum(calls) desc, ${sortKey(connection, names)}) - 1 as place
      from (${await countedCalls(connection, ask)}) as counted
      ${columns.length > 0 ? sql`group by ${sql.join(columns)}` : sql``} having sum(calls) > 0),
    listed as (select ranked.*, case when place between ${skip} and ${skip + top - 1} then place - ${skip} else -1 end as listed from ranked)
    select listed as place, ${sql.join([...names.map((name) => sql`min(${sql.ref(name)}) as ${sql.ref(name)},`)], sql` `)}
      count(*) as groups, sum(calls) as calls, sum(credits) as credits
    from listed group by listed order by listed < 0, listed`.execute(connection.db)
  return rows
}

/** The calls of each period by the places of some groups. */
async function placedCounts(
  connection: Connection,
  ask: UsageAsk,
  groups: readonly UsageNames[],
): Promise<PlacedCount[]> {
  const cases = groups.map((group, place) => {
    const isIt = Object.entries(group).map(([name, value]) => sql`${sql.ref(name)} = ${value ?? ''}`)
    return sql`when ${isIt.length > 0 ? sql.join(isIt, sql` and `) : sql`1 = 1`} then ${sql.lit(place)}`
  })
  const place = cases.length === 0 ? sql`-1` : sql`case ${sql.join(cases, sql` `)} else -1 end`
  const { rows } = await sql<CountRow & { place: number }>`
    select at, place, sum(calls) as calls, sum(credits) as credits
    from (select at, calls, credits, ${place} as place
      from (${await countedCalls(connection, ask)}) as counted) as placed
    group by at, place having sum(calls) > 0 order by at, place < 0, place`.execute(connection.db)
  return rows.map((row) => placed(ask, row))
}

function placed(ask: UsageAsk, { at, place, calls, credits }: CountRow & { place: number }): PlacedCount {
  return {
    at: ask.bucket === null ? ask.since : timeOf(at),
    place: Number(place),
    calls: Number(calls),
    credits: Number(credits),
  }
}

async function labelled({ db }: Connection, groups: readonly UsageNames[]): Promise<ListedGroup[]> {
  const ids = groups.flatMap(({ keyId }) => keyId ?? [])
  if (ids.length === 0) return [...groups]
  const keys = await db.selectFrom('keys').select(['id', 'label', 'display']).where('id', 'in', ids).execute()
  const known = new Map(keys.map(({ id, label, display }) => [id, { key_label: label, key_display: display }]))
  return groups.map((group) => ({ ...group, ...known.get(group.keyId ?? '') }))
}
