import { sql } from 'kysely'
import type { Connection } from '../../database/engine/dialect.ts'
import { dayMs, startOfMonth, utcMonth } from '../../foundation/clock.ts'
import { Durations } from '../../foundation/durations.ts'
import type { UsageAsk, UsageCount, UsageGroup, UsageNames } from './usage-ask.ts'
import { countedCalls, namedIn, sortedNames, sortKey, timeOf, type CountRow, type UsageName } from './usage-sql.ts'
import { nextStart } from './zone-days.ts'

/** The sort key of a group: its period and its names. */
export interface UsagePlace {
  at: number | string
  names: UsageNames
}

/** The first groups of a report, or those after another one. */
interface UsagePage {
  limit: number
  after?: UsagePlace
}

/** Distributions of durations are texts, so a long range with them is read in parts. */
const partMs = 32 * dayMs

/**
 * Counts calls by period and group, in the order of time and names. `regroup` adds the same calls up by fewer
 * groups, once for each of its lists.
 */
export async function countUsage(
  connection: Connection,
  { ask, page, regroup }: { ask: UsageAsk; page?: UsagePage; regroup?: readonly Regrouping[] },
): Promise<UsageCount[][]> {
  const sums = (regroup ?? [{ by: ask.by }]).map((each) => new Groups(ask, each))
  const atMost = ask.durations ? partMs : Infinity
  let lengthMs = page && ask.bucket !== null ? dayMs : atMost
  for (let { since } = ask; since < ask.until && !(page && sums[0]?.isFull(page.limit));) {
    const until = Math.min(ask.until, endOfPeriod(ask.bucket, Math.min(ask.until, since + lengthMs)))
    for (const row of await rowsIn(connection, { ...ask, since, until }, page)) for (const sum of sums) sum.add(row)
    since = until
    lengthMs = Math.min(2 * lengthMs, atMost)
  }
  return sums.map((sum) => sum.counts(page?.limit))
}

interface Regrouping {
  by: readonly UsageGroup[]
  /** Over the whole time range, and without durations. */
  isTotal?: boolean
}

async function rowsIn(connection: Connection, ask: UsageAsk, page: UsagePage | undefined): Promise<CountRow[]> {
  const { db, dialect } = connection
  const names = sortedNames(ask.by)
  const columns = names.map((name) => sql.ref(name))
  const key = sortKey(connection, names)
  const after = page?.after
  const { rows } = await sql<CountRow>`
    select ${sql.join([...columns, sql`at`])}, sum(calls) as calls, sum(credits) as credits,
      ${dialect.joinTexts(sql`durations`, ' ')} as durations
    from (${await countedCalls(connection, ask)}) as counted
    ${after ? sql`where (at, ${key}) > (${after.at}, ${names.map((name) => JSON.stringify(after.names[name] ?? null)).join(',')})` : sql``}
    group by ${sql.join([...columns, sql`at`])}
    having sum(calls) > 0
    ${page ? sql`order by at, ${key} limit ${page.limit}` : sql``}`.execute(db)
  return rows
}

/** The end of the period that ends at or after this time. Parts of days have no sums. */
function endOfPeriod(bucket: UsageAsk['bucket'], at: number): number {
  if (bucket !== null && typeof bucket === 'object') return nextStart(bucket, at)
  return bucket === 'month' ? startOfMonth(utcMonth(at + 32 * dayMs)) : Math.ceil(at / dayMs) * dayMs
}

/** The counts of a report, added up by fewer groups. */
class Groups {
  readonly #ask: UsageAsk
  readonly #names: readonly UsageName[]
  readonly #sums = new Map<string, { count: UsageCount; durations: Durations }>()

  constructor(ask: UsageAsk, { by, isTotal = false }: Regrouping) {
    this.#ask = isTotal ? { ...ask, bucket: null, durations: false } : ask
    this.#names = sortedNames(by)
  }

  /** Whether enough groups are known. Later periods add only groups after them. */
  isFull(limit: number): boolean {
    return this.#ask.bucket !== null && this.#sums.size >= limit
  }

  add(row: CountRow): void {
    const at = this.#ask.bucket === null ? this.#ask.since : timeOf(row.at)
    const names = namedIn(row, this.#names)
    const key = JSON.stringify([at, ...Object.values(names)])
    const sum = this.#sums.get(key) ?? {
      count: { ...names, at, calls: 0, credits: 0, durations: null },
      durations: new Durations(),
    }
    this.#sums.set(key, sum)
    sum.count.calls += Number(row.calls)
    sum.count.credits += Number(row.credits)
    if (this.#ask.durations && row.durations !== null) sum.durations.addText(row.durations)
  }

  counts(limit = Infinity): UsageCount[] {
    const sorted = [...this.#sums].toSorted(([a, one], [b, other]) => one.count.at - other.count.at || (a < b ? -1 : 1))
    return sorted
      .slice(0, limit)
      .map(([, { count, durations }]) => (this.#ask.durations ? { ...count, durations: durations.text } : count))
  }
}

/** The store operation that counts usage. */
export interface UsageCounts {
  countUsage(args: Parameters<typeof countUsage>[1]): Promise<UsageCount[][]>
}
