import { sql, type RawBuilder } from 'kysely'
import type { Connection } from '../../database/engine/dialect.ts'
import { durationStep } from '../../database/sql/expressions.ts'
import { isEmptied, isFinal } from '../../database/sql/summed-days.ts'
import { dayMs } from '../../foundation/clock.ts'
import type { UsageAsk, UsageGroup, UsageNames } from './usage-ask.ts'

export type UsageName = keyof UsageNames

const namesOf: Record<UsageGroup, readonly UsageName[]> = {
  project: ['project'],
  environment: ['project', 'environment'],
  key: ['keyId'],
  tag: ['tag'],
  endpoint: ['kind'],
  source: ['source'],
  status: ['status'],
  // Adds no column: each row of a report has its time anyway.
  day: [],
}

/** The names by which a report groups, each once. */
export function namesBy(by: readonly UsageGroup[]): UsageName[] {
  return [...new Set(by.flatMap((group) => namesOf[group]))]
}

// In the order of the columns of an answer. Sum tables have empty texts instead of nulls, so calls must have them too.
const columns: Record<UsageName, RawBuilder<unknown>> = {
  project: sql`environments.project`,
  environment: sql`environments.name`,
  keyId: sql`counted.key_id`,
  tag: sql`coalesce(counted.tag, '')`,
  kind: sql`counted.kind`,
  source: sql`coalesce(counted.source, '')`,
  status: sql`counted.status`,
}

/** The names by which a report groups, in the order in which its rows are sorted. */
export function sortedNames(by: readonly UsageGroup[]): UsageName[] {
  const names = namesBy(by)
  return (Object.keys(columns) as UsageName[]).filter((name) => names.includes(name))
}

/** A row of a report. An empty text stands for null. */
export type CountRow = Partial<Record<UsageName, string | number>> & {
  at: number | string
  calls: number
  credits: number
  durations: string | null
}

/** The start of the period of a row. */
export function timeOf(at: number | string): number {
  return typeof at === 'string' ? Date.parse(at) : at
}

/** The names of the group of a row. */
export function namedIn(row: CountRow, names: readonly UsageName[]): UsageNames {
  return Object.fromEntries(names.map((name) => [name, row[name] === '' ? null : row[name]]))
}

/** A time range, and the sign and time of its calls in the report. */
interface Span {
  since: number
  until: number
  /** True: subtracts these calls, at the start of the range. False: adds them at their own time. */
  isTakenOut?: boolean
}

/** The parts of a time range: days whose sums count, and ranges in which calls are counted one by one. */
interface Parts {
  whole: number[]
  /** Days whose removed calls count, all at the start of the day. */
  removed: number[]
  spans: Span[]
}

/**
 * The calls of a report as a select with the columns `at`, the names, `calls`, `credits` and `durations`: sums for whole
 * days that have them, otherwise the call log. A group may have several rows.
 */
export async function countedCalls(connection: Connection, ask: UsageAsk): Promise<RawBuilder<unknown>> {
  const { whole, removed, spans } = partsOf(ask, await summedDays(connection, ask))
  const parts = [...(spans.length > 0 ? [fromCalls(connection, ask, spans)] : [])]
  if (whole.length > 0) parts.push(fromSums(connection, ask, whole, ask.durations === true))
  if (removed.length > 0) parts.push(fromSums(connection, ask, removed, false))
  return sql.join(parts, sql` union all `)
}

interface SummedDay {
  day: number
  rows: number
}

async function summedDays({ db }: Connection, { since, until }: UsageAsk): Promise<SummedDay[]> {
  return db
    .selectFrom('summed_days')
    .select(['day', 'rows'])
    .where('what', '=', 'calls')
    .where('day', '>=', since)
    .where('day', '<', until)
    .orderBy('day')
    .execute()
}

/**
 * Sums of days cannot be split into shorter periods. So the calls that are left count one by one, and the removed calls
 * of a day count at its start: the sum of the day minus its summed calls that are left. If no summed call is left, every
 * call in the log was written after the sum.
 */
function partsOf({ since, until, bucket }: UsageAsk, days: readonly SummedDay[]): Parts {
  const parts: Parts = { whole: [], removed: [], spans: [] }
  const isByDays = bucket === null || bucket === 'month' || (typeof bucket === 'number' && bucket % dayMs === 0)
  let at = since
  for (const { day, rows } of days) {
    const end = day + dayMs
    const isWhole = isByDays && end <= until
    if (isWhole) parts.whole.push(day)
    else if (isFinal(rows)) parts.removed.push(day)
    if (isEmptied(rows)) continue
    if (isWhole) {
      if (day > at) parts.spans.push({ since: at, until: day })
      at = end
    } else if (isFinal(rows)) parts.spans.push({ since: day, until: end, isTakenOut: true })
  }
  if (at < until) parts.spans.push({ since: at, until })
  return parts
}

function fromSums(connection: Connection, ask: UsageAsk, days: number[], withDurations: boolean): RawBuilder<unknown> {
  const names = namesBy(ask.by)
  const { keyId = null, tag = null } = ask
  const isOfKeys = keyId !== null || tag !== null || names.includes('keyId') || names.includes('tag')
  const durations = withDurations && !isOfKeys ? sql`counted.durations` : noDurations
  return sql`select ${selected(names)} ${periodOf(connection, ask, sql`counted.day`)} as at, counted.calls as calls,
      counted.credits as credits, ${durations} as durations
    from ${sql.table(isOfKeys ? 'key_days' : 'environment_days')} as counted ${joined(names)}
    where ${connection.dialect.isAmong('counted.day', 'bigint', days)} ${filters(connection, ask)}`
}

function fromCalls(connection: Connection, ask: UsageAsk, spans: readonly Span[]): RawBuilder<unknown> {
  const names = namesBy(ask.by)
  const [since, until, taken] = [sql<number>`span.column1`, sql<number>`span.column2`, sql<number>`span.column3`]
  const isPlain = spans.every(({ isTakenOut = false }) => !isTakenOut)
  const ranges = spans.map((span) =>
    sql.join([span.since, span.until, span.isTakenOut ? 1 : 0].map((value) => sql.lit(value))),
  )
  const sign = isPlain ? sql`` : sql` * (1 - 2 * ${taken})`
  const time = isPlain ? sql`counted.at` : sql`case when ${taken} = 1 then ${since} else counted.at end`
  // Rows, plus the calls that were counted with them instead of getting rows of their own.
  const calls = sql`((count(*) + coalesce(sum(counted.repeats), 0))${sign})`
  const step = sql`case when ${taken} = 0 then ${durationStep} end`
  const groups: RawBuilder<unknown>[] = [...names.map((_name, index) => sql.lit(index + 1))]
  if (ask.bucket !== null) groups.push(sql.lit(names.length + 1))
  if (!isPlain) groups.push(taken)
  if (ask.durations) groups.push(step)
  return sql`select ${selected(names)} ${periodOf(connection, ask, time)} as at, ${calls} as calls,
      sum(counted.credits)${sign} as credits,
      ${ask.durations ? sql`${step} || ':' || ${calls}` : noDurations} as durations
    from (values ${sql.join(ranges.map((range) => sql`(${range})`))}) as span cross join calls as counted ${joined(names)}
    where counted.at >= ${since} and counted.at < ${until} ${filters(connection, ask)}
    ${groups.length > 0 ? sql`group by ${sql.join(groups)}` : sql``}`
}

const noDurations = sql`cast(null as text)`

function selected(names: readonly UsageName[]): RawBuilder<unknown> {
  return sql.join([...names.map((name) => sql`${columns[name]} as ${sql.ref(name)},`)], sql` `)
}

function joined(names: readonly UsageName[]): RawBuilder<unknown> {
  const isNeeded = names.includes('project') || names.includes('environment')
  return isNeeded ? sql`join environments on environments.id = counted.account_id` : sql``
}

function periodOf({ dialect }: Connection, { bucket }: UsageAsk, time: RawBuilder<unknown>): RawBuilder<unknown> {
  if (bucket === null) return sql`0`
  if (bucket === 'month') return dialect.utcMonth(time)
  if (typeof bucket === 'number') return sql`${time} - ${time} % ${sql.lit(bucket)}`
  const starts = bucket.map(
    ({ from, until, lengthMs }) =>
      sql`when ${time} < ${sql.lit(until)} then ${time} - (${time} - ${sql.lit(from)}) % ${sql.lit(lengthMs)}`,
  )
  return sql`case ${sql.join(starts, sql` `)} end`
}

function filters({ dialect }: Connection, ask: UsageAsk): RawBuilder<unknown> {
  const { project, environment, mode, keyId = null, tag = null } = ask
  const owners = [
    ...(project === null ? [] : [sql`project = ${project}`]),
    ...(environment === null ? [] : [sql`name = ${environment}`]),
  ]
  const list = [
    ...(owners.length === 0
      ? []
      : [
          dialect.isSelected(
            'counted.account_id',
            sql`(select id from environments where ${sql.join(owners, sql` and `)})`,
          ),
        ]),
    ...(keyId === null ? [] : [sql`counted.key_id = ${keyId}`]),
    ...(tag === null ? [] : [sql`${columns.tag} = ${tag}`]),
    ...(mode === null ? [] : [sql`counted.mode = ${mode}`]),
  ]
  return sql.join(
    list.map((each) => sql`and ${each}`),
    sql` `,
  )
}

/** The names as one text that sorts like the JSON of their values: an absent name comes last. */
export function sortKey({ dialect }: Connection, names: readonly UsageName[]): RawBuilder<string> {
  const texts = names.map((name) => {
    const own = sql.ref(name)
    return name === 'status'
      ? sql`cast(${own} as text)`
      : sql`case when ${own} = '' then 'null' else '"' || ${own} || '"' end`
  })
  return dialect.byBytes(texts.length === 0 ? sql`''` : sql.join(texts, sql` || ',' || `))
}
