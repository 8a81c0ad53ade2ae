import { units, type Kind } from '@vitae/contract'
import type { Connection } from '../database/engine/dialect.ts'
import { lockDaySums } from '../database/sql/summed-days.ts'
import type { NewEvent } from '../events/outbox/event.ts'
import { writeEvents } from '../events/outbox/event-upkeep.ts'
import { dayMs, utcDay } from '../foundation/clock.ts'
import { startOfSlice } from './call-slice.ts'
import { driftedUnits, type Drift, type Fills, usualDays } from './drift.ts'

/** The answers of a provider for one kind of record. */
interface ProviderFills extends Fills {
  provider: string
  kind: Kind
}

/** Such answers of one UTC day. */
export interface FillDay extends ProviderFills {
  day: number
  /** Null: too few answers to judge. */
  drifted: Drift[] | null
}

interface Span {
  since: number
  until: number
}

/** In how many of the records that providers brought in a span each unit has a value. */
export async function countFills({ db }: Pick<Connection, 'db'>, { since, until }: Span): Promise<ProviderFills[]> {
  const rows = await db
    .selectFrom('fetches')
    .innerJoin('versions', 'versions.fetch_id', 'fetches.id')
    .select(['fetches.provider', 'fetches.kind', 'versions.units'])
    .select(({ fn }) => fn.countAll<number>().as('answers'))
    .where('fetches.at', '>=', since)
    .where('fetches.at', '<', until)
    .where('fetches.outcome', '=', 'found')
    .where('versions.units', 'is not', null)
    .groupBy(['fetches.provider', 'fetches.kind', 'versions.units'])
    .execute()
  return addFills(rows.map((row) => ({ ...row, ...fillsOf(row.kind, row.units ?? '', Number(row.answers)) })))
}

function fillsOf(kind: Kind, states: string, answers: number): Fills {
  const named = units[kind].filter((_unit, place) => states[place] === 'v')
  return { answers, filled: Object.fromEntries(named.map(({ name }) => [name, answers])) }
}

/** The same counts, one for each provider and kind. */
export function addFills(counts: readonly ProviderFills[]): ProviderFills[] {
  const groups = Map.groupBy(counts, ({ provider, kind }) => `${provider} ${kind}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [{ provider: first.provider, kind: first.kind, ...sumOf(group) }] : []
  })
}

function sumOf(all: readonly Fills[]): Fills {
  const sum: Fills = { answers: 0, filled: {} }
  for (const { answers, filled } of all) {
    sum.answers += answers
    for (const [unit, count] of Object.entries(filled)) sum.filled[unit] = (sum.filled[unit] ?? 0) + count
  }
  return sum
}

/** The fills among the newest calls of a span. */
export async function newestFills(connection: Connection, ask: Span & { rows: number }): Promise<ProviderFills[]> {
  return countFills(connection, { since: await startOfSlice(connection.db, ask), until: ask.until })
}

/** Keeps what providers filled on a day, and notifies of units that fell below half of their usual rate: once for each day. */
export async function noteFills(
  connection: Connection,
  { day, at, fills }: { day: number; at: number; fills: readonly ProviderFills[] },
): Promise<void> {
  const { db, dialect } = connection
  if (fills.length === 0) return
  // Two nodes that judge the same day must not both notify.
  await lockDaySums(connection)
  const known = await fillDays(connection, { since: day - usualDays * dayMs, until: day + 1 })
  const events: NewEvent[] = []
  for (const { provider, kind, answers, filled } of fills) {
    const own = known.filter((row) => row.provider === provider && row.kind === kind)
    const drifted = driftedUnits(
      { answers, filled },
      own.filter((row) => row.day < day),
    )
    const values = { answers, filled: JSON.stringify(filled), drifted: drifted && JSON.stringify(drifted) }
    await db
      .insertInto('fill_days')
      .values({ day, provider, kind, ...values })
      .onConflict((conflict) => conflict.columns(['day', 'provider', 'kind']).doUpdateSet(values))
      .execute()
    const wasNotified = own.some((row) => row.day === day && (row.drifted ?? []).length > 0)
    if (!drifted || drifted.length === 0 || wasNotified) continue
    const data = { provider, kind, day: utcDay(day), answers, units: drifted }
    events.push({ type: 'provider.drifted', at, environmentId: null, data })
  }
  await writeEvents(db, dialect, events)
}

/** The stored fill rates of a span of days, in the order of time. */
export async function fillDays({ db }: Pick<Connection, 'db'>, { since, until }: Span): Promise<FillDay[]> {
  const rows = await db
    .selectFrom('fill_days')
    .selectAll()
    .where('day', '>=', since)
    .where('day', '<', until)
    .orderBy('day')
    .execute()
  // Written by noteFills.
  return rows.map(({ filled, drifted, ...row }) => ({
    ...row,
    answers: Number(row.answers),
    filled: JSON.parse(filled) as Fills['filled'],
    drifted: drifted === null ? null : (JSON.parse(drifted) as Drift[]),
  }))
}

/** The providers whose newest judged day shows units that drifted. */
export async function driftedProviders(connection: Connection, { now }: { now: number }): Promise<FillDay[]> {
  const days = await fillDays(connection, { since: now - usualDays * dayMs, until: now + 1 })
  const judged = days.filter(({ drifted }) => drifted !== null)
  const newest = new Map(judged.map((day) => [`${day.provider} ${day.kind}`, day]))
  return [...newest.values()].filter(({ drifted }) => drifted && drifted.length > 0)
}
