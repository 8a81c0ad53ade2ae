import { kinds, type Kind } from '@vitae/contract'
import { everyField } from '../../providers/contract-shape/every-field.ts'
import type { Providers } from '../../providers/describe-providers.ts'
import type { LifecycleStore, ScorecardStore } from '../store/operations.ts'
import { CallTally, countCalls } from './count-calls.ts'
import { perEach, priceOf } from '../../providers/chain/money.ts'
import { usualDays } from '../../providers/drift.ts'
import type { FillDay } from '../../providers/fill-days.ts'
import type { Comparison } from '../store/compare-providers.ts'
import { dayMs } from '../../foundation/clock.ts'

/** The score of one provider for one kind of record. */
export interface ProviderScore {
  tally: CallTally
  label: string
  /** Cost of the calls by the configured price, or in the credits that the provider reported. */
  money: number | null
  moneyUnit: string | null
  moneyPerCall: number | null
  moneyPerUsableRecord: number | null
  /** The number of newest records read for the fill rates. */
  recordsRead: number
  /** Per field, the share of these records in which it has a value, 0 to 1. */
  fillRates: Record<string, number>
  /** Fields that only this provider fills. */
  alone: string[]
  /** Answers and filled units of each of the last days, oldest first. */
  days: FillDay[]
}

export interface Scorecard {
  scores: ProviderScore[]
  disagreements: Disagreement[]
}

interface Deps {
  store: LifecycleStore
  providers: Pick<Providers, 'facts' | 'currency'>
}

const sampleSize = 400
const recordsAtOnce = 20

/**
 * Scores every provider over a period. Counts cover all calls; fill rates and comparisons cover the newest records
 * only.
 */
export async function scoreProviders(deps: Deps, span: { since: number; until: number }): Promise<Scorecard> {
  const { store, providers } = deps
  const tallies = await countCalls(store, { ...span, sample: sampleSize })
  const inChain = providers.facts.filter(({ inChain: isAsked }) => isAsked)
  for (const { name } of inChain)
    for (const kind of kinds) {
      const key = `${name} ${kind}`
      if (!tallies.has(key)) tallies.set(key, new CallTally(name, kind))
    }
  const days = await store.providers.fillDays({ since: span.until - (usualDays + 1) * dayMs, until: span.until })
  const scores: ProviderScore[] = []
  for (const tally of tallies.values()) {
    const own = days.filter(({ provider, kind }) => provider === tally.provider && kind === tally.kind)
    scores.push({ ...(await scoreOf(deps, tally)), days: own })
  }
  const place = ({ tally }: ProviderScore) => providers.facts.findIndex(({ name }) => name === tally.provider)
  const sorted = scores.toSorted(
    (a, b) => kinds.indexOf(a.tally.kind) - kinds.indexOf(b.tally.kind) || place(a) - place(b),
  )
  return {
    scores: sorted.map((score) => ({ ...score, alone: fieldsAlone(score, sorted) })),
    disagreements: await findDisagreements(store, span),
  }
}

async function scoreOf({ store, providers }: Deps, tally: CallTally): Promise<Omit<ProviderScore, 'days'>> {
  const facts = providers.facts.find(({ name }) => name === tally.provider)
  const perCall = facts?.cost ?? null
  const reported = tally.hasReported ? tally.reported : null
  const money = perCall === null ? reported : priceOf(perCall, tally.requests)
  const { records, rates } = await fillRates(store, tally.kind, tally.fetchIds)
  return {
    tally,
    label: facts?.label ?? tally.provider,
    money,
    moneyUnit: money === null ? null : perCall === null ? 'credits' : providers.currency,
    moneyPerCall: perEach(money, tally.calls),
    moneyPerUsableRecord: perEach(money, tally.usable),
    recordsRead: records,
    fillRates: rates,
    alone: [],
  }
}

async function fillRates(store: LifecycleStore, kind: Kind, fetchIds: readonly number[]) {
  let records = 0
  const filled = new Map<string, number>()
  for (let at = 0; at < fetchIds.length; at += recordsAtOnce) {
    const part = await store.scorecard.fillCounts({ fetchIds: fetchIds.slice(at, at + recordsAtOnce) })
    records += part.records
    for (const [field, count] of Object.entries(part.filled)) filled.set(field, (filled.get(field) ?? 0) + count)
  }
  if (records === 0) return { records, rates: {} }
  const rate = (field: string) => Math.round(((filled.get(field) ?? 0) / records) * 10_000) / 10_000
  return { records, rates: Object.fromEntries([...everyField[kind]].map((field) => [field, rate(field)])) }
}

/** Returns no field if no other provider has records of this kind to compare with. */
function fieldsAlone({ tally, fillRates: own }: ProviderScore, all: readonly ProviderScore[]): string[] {
  const others = all.filter(
    (other) => other.tally.kind === tally.kind && other.tally.provider !== tally.provider && other.recordsRead > 0,
  )
  if (others.length === 0) return []
  return Object.keys(own).filter(
    (field) => (own[field] ?? 0) > 0 && others.every((other) => (other.fillRates[field] ?? 0) === 0),
  )
}

/** The fields in which two providers differ about the same records. */
interface Disagreement {
  kind: Kind
  providers: [string, string]
  /** The number of records compared. */
  records: number
  /** Most differences first; fields without a difference are omitted. */
  fields: { field: string; compared: number; differ: number }[]
  /** Keys of a few records that differ. */
  examples: string[]
}

const recordLimit = 200
const sliceLimit = 40
const rowsAtOnce = 2_000
const comparedAtOnce = 10
const exampleLimit = 5

type Store = { scorecard: Pick<ScorecardStore, 'sharedRecords' | 'compareProviders'> }
interface Span {
  since: number
  until: number
}

/** Compares the newest records that two providers share. `recordLimit` and `sliceLimit` bound the work. */
async function findDisagreements(store: Store, span: Span): Promise<Disagreement[]> {
  const ids = await sharedIds(store, span)
  const comparisons: Comparison[] = []
  for (let at = 0; at < ids.length; at += comparedAtOnce) {
    const entityIds = ids.slice(at, at + comparedAtOnce)
    comparisons.push(...(await store.scorecard.compareProviders({ entityIds, ...span })))
  }
  const groups = Map.groupBy(comparisons, ({ kind, providers }) => `${kind} ${providers.join(' ')}`)
  return [...groups.values()].flatMap((group) => summary(group) ?? [])
}

async function sharedIds(store: Store, span: Span): Promise<number[]> {
  const ids = new Set<number>()
  let before: number | null = span.until
  for (let slice = 0; slice < sliceLimit && before !== null && ids.size < recordLimit; slice++) {
    const found: Awaited<ReturnType<Store['scorecard']['sharedRecords']>> = await store.scorecard.sharedRecords({
      ...span,
      before,
      rows: rowsAtOnce,
    })
    for (const id of found.entityIds) ids.add(id)
    before = found.next
  }
  return [...ids].slice(0, recordLimit)
}

function summary(group: Comparison[]): Disagreement | null {
  const [first] = group
  if (!first) return null
  const { kind, providers } = first
  const compared = countFields(group.map((one) => fieldsOf(kind, one.compared)))
  const differ = countFields(group.map((one) => fieldsOf(kind, one.differ)))
  const fields = [...differ]
    .map(([field, count]) => ({ field, compared: compared.get(field) ?? count, differ: count }))
    .toSorted((a, b) => b.differ - a.differ || (a.field < b.field ? -1 : 1))
  const examples = group.filter((one) => one.differ.length > 0).map(({ key }) => key)
  return { kind, providers, records: group.length, fields, examples: examples.slice(0, exampleLimit) }
}

function countFields(lists: Iterable<ReadonlySet<string>>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const fields of lists) for (const field of fields) counts.set(field, (counts.get(field) ?? 0) + 1)
  return counts
}

/** Maps each path to its contract field: the year of a date counts as the date. */
function fieldsOf(kind: Kind, paths: readonly string[]): Set<string> {
  return new Set(
    paths.flatMap((path) => {
      let field = path
      while (field !== '' && !everyField[kind].has(field)) field = field.slice(0, Math.max(0, field.lastIndexOf('.')))
      return field === '' ? [] : [field]
    }),
  )
}
