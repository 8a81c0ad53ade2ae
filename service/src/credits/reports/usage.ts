import { report } from '../../database/operation.ts'
import { sql, type RawBuilder } from 'kysely'
import type { Connection } from '../../database/dialect.ts'
import type { Operations } from '../../database/store.ts'
import {
  spansOf,
  type UsageAsk,
  type UsageCount,
  type UsageGroup,
  type UsageNames,
  type UsageSlice,
  type UsageState,
} from './usage-counts.ts'
import { durationStep } from '../../database/sql/expressions.ts'

const namesOf: Record<UsageGroup, readonly (keyof UsageNames)[]> = {
  project: ['project'],
  environment: ['project', 'environment'],
  key: ['keyId'],
  tag: ['tag'],
  endpoint: ['kind'],
  source: ['source'],
  status: ['status'],
  // Every count already has its time.
  day: [],
}

const columns: Record<keyof UsageNames, string> = {
  project: 'environments.project',
  environment: 'environments.name',
  keyId: 'counted.key_id',
  tag: 'counted.tag',
  kind: 'counted.kind',
  source: 'counted.source',
  status: 'counted.status',
}

/** The table that calls are counted from, and its expressions. */
interface Source {
  table: 'calls' | 'usage_days' | 'environment_days' | 'key_days'
  time: RawBuilder<number>
  calls: RawBuilder<unknown>
  /** Durations as a column to group by, or as an aggregate. */
  step?: RawBuilder<unknown>
  durations?: RawBuilder<unknown>
}

const rows: Source = {
  table: 'calls',
  time: sql`counted.at`,
  // Rows, plus the calls that were counted with them instead of getting rows of their own.
  calls: sql`count(*) + coalesce(sum(counted.repeats), 0)`,
  step: durationStep,
}
const sums = { time: sql<number>`counted.day`, calls: sql`sum(counted.calls)` }

/** Counts a slice of the call log that is small enough not to delay payments. */
async function usageSlice({ db }: Connection, ask: UsageAsk & { rows: number }): Promise<UsageSlice> {
  const next = await endOfSlice(db, ask)
  return { counts: await countIn(db, rows, { ...ask, until: next ?? ask.until }), next }
}

/** Counts calls that retention has removed, a few whole days at a time, without durations. */
async function usageDays({ db }: Connection, ask: UsageAsk & { rows: number }): Promise<UsageSlice> {
  const next = await endOfDays(db, ask)
  const counts = await countIn(db, { ...sums, table: 'usage_days' }, { ...ask, until: next ?? ask.until })
  return { counts, next }
}

/** Reads the sums of summed days. */
async function usageSums({ db, dialect }: Connection, ask: UsageAsk): Promise<UsageCount[]> {
  const asked = [
    ...ask.by.flatMap((group) => namesOf[group]),
    ...(ask.places ?? []).flatMap((place) => Object.keys(place)),
  ]
  const isOfKeys = (ask.keyId ?? null) !== null || (ask.tag ?? null) !== null
  if (isOfKeys || asked.includes('keyId') || asked.includes('tag'))
    return countIn(db, { ...sums, table: 'key_days' }, ask)
  const joined = dialect === 'postgres' ? sql`string_agg` : sql`group_concat`
  return countIn(db, { ...sums, table: 'environment_days', durations: sql`${joined}(counted.durations, ' ')` }, ask)
}

async function countIn(db: Connection['db'], source: Source, ask: UsageAsk): Promise<UsageCount[]> {
  const { bucketMs, by, places, durations = false } = ask
  const names = [...new Set(by.flatMap((group) => namesOf[group]))]
  const groups: [string, RawBuilder<unknown>][] = places
    ? [['place', placeOf(source, places)]]
    : names.map((name) => [name, columnOf(source, name)])
  if (bucketMs !== null) groups.push(['at', sql`${source.time} - ${source.time} % ${sql.lit(bucketMs)}`])
  if (durations && source.step) groups.push(['durationStep', source.step])
  const figures = [sql`${source.calls} as calls`, sql`sum(counted.credits) as credits`]
  if (durations && source.durations) figures.push(sql`${source.durations} as durations`)
  // Grouped by position, because PostgreSQL resolves a name to a table column first.
  const positions = groups.map((_, index) => sql.lit(index + 1))
  const { rows: found } = await sql<UsageCount>`
    select ${sql.join([...groups.map(([name, column]) => sql`${column} as ${sql.ref(name)}`), ...figures])}
    from ${sql.table(source.table)} as counted join environments on environments.id = counted.account_id
    where ${sql.join(conditions(source, ask), sql` and `)}
    ${positions.length > 0 ? sql`group by ${sql.join(positions)}` : sql``}`.execute(db)
  const counts = found.map((count) => ({
    ...count,
    at: count.at ?? 0,
    durationStep: count.durationStep ?? null,
    calls: Number(count.calls),
    credits: Number(count.credits),
  }))
  return counts.filter(({ calls }) => calls > 0)
}

function conditions(source: Source, ask: UsageAsk): RawBuilder<unknown>[] {
  const { since, until, project, environment, mode, keyId = null, tag = null } = ask
  const list = [sql`${source.time} >= ${since}`, sql`${source.time} < ${until}`]
  if (project !== null) list.push(sql`environments.project = ${project}`)
  if (environment !== null) list.push(sql`environments.name = ${environment}`)
  if (keyId !== null) list.push(sql`counted.key_id = ${keyId}`)
  if (tag !== null) list.push(isOf(source, 'tag', tag === '' ? null : tag))
  if (mode !== null) list.push(sql`counted.mode = ${mode}`)
  return list
}

function columnOf({ table }: Source, name: keyof UsageNames): RawBuilder<unknown> {
  const own = sql.ref(columns[name])
  // Sum tables use empty strings instead of nulls in their keys.
  return table !== 'calls' && ['kind', 'source', 'tag'].includes(name) ? sql`nullif(${own}, '')` : own
}

function isOf(source: Source, name: keyof UsageNames, value: string | number | null): RawBuilder<unknown> {
  const column = columnOf(source, name)
  return value === null ? sql`${column} is null` : sql`${column} = ${value}`
}

function placeOf(source: Source, places: readonly UsageNames[]): RawBuilder<unknown> {
  const cases = places.map((place, index) => {
    const names = Object.entries(place) as [keyof UsageNames, string | number | null][]
    const isIt = sql.join(
      names.map(([name, value]) => isOf(source, name, value)),
      sql` and `,
    )
    return sql`when ${names.length > 0 ? isIt : sql`1 = 1`} then ${sql.lit(index)}`
  })
  return cases.length === 0 ? sql`-1` : sql`case ${sql.join(cases, sql` `)} else -1 end`
}

async function endOfSlice(
  db: Connection['db'],
  { since, until, rows: atMost }: { since: number; until: number; rows: number },
): Promise<number | null> {
  const row = await db
    .selectFrom('calls')
    .select('at')
    .where('at', '>=', since)
    .where('at', '<', until)
    .orderBy('at')
    .limit(1)
    .offset(atMost)
    .executeTakeFirst()
  return row ? Math.max(row.at, since + 1) : null
}

async function endOfDays(
  db: Connection['db'],
  { since, until, rows: atMost }: { since: number; until: number; rows: number },
): Promise<number | null> {
  const days = db.selectFrom('usage_days').select('day').where('day', '>=', since).where('day', '<', until)
  const row = await days.orderBy('day').limit(1).offset(atMost).executeTakeFirst()
  return row ? Math.max(row.day, since + 1) : null
}

/**
 * The days that have sums, and the number of removed calls on other days. The number changes if retention removes calls
 * meanwhile.
 */
async function usageState({ db }: Connection, ask: UsageAsk): Promise<UsageState> {
  const days = await db
    .selectFrom('summed_days')
    .select(['day', 'sums', 'made'])
    .where('what', '=', 'calls')
    .where('day', '>=', ask.since)
    .where('day', '<', ask.until)
    .orderBy('day')
    .execute()
  let removed = 0
  for (const { isSummed, since, until } of spansOf(ask, days)) {
    if (isSummed) continue
    const row = await db
      .selectFrom('usage_days')
      .select(({ fn }) => fn.sum<number | null>('calls').as('calls'))
      .where('day', '>=', since)
      .where('day', '<', until)
      .executeTakeFirstOrThrow()
    removed += Number(row.calls ?? 0)
  }
  return { removed, days }
}

/** The labels of keys. */
async function keyNames({ db }: Connection, { ids }: { ids: string[] }): Promise<KeyName[]> {
  if (ids.length === 0) return []
  return db.selectFrom('keys').select(['id', 'label', 'display']).where('id', 'in', ids).execute()
}

interface KeyName {
  id: string
  label: string | null
  display: string
}

export const usageOperations = {
  usageSlice: report(usageSlice),
  usageDays: report(usageDays),
  usageSums: report(usageSums),
  usageState: report(usageState),
  keyNames: report(keyNames),
} satisfies Operations
