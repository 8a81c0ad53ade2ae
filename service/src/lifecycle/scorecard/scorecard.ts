import { kinds, type Kind } from '@vitae/contract'
import { everyField } from '../../providers/contract-shape/every-field.ts'
import type { Providers } from '../../providers/describe-providers.ts'
import type { LifecycleStore } from '../operations.ts'
import { CallTally, countCalls } from './count-calls.ts'
import { findDisagreements, type Disagreement } from './disagreements.ts'
import { perEach, priceOf } from '../../providers/money.ts'

/** How one provider did with one kind of record. */
export interface ProviderScore {
  tally: CallTally
  label: string
  /** What the calls cost: by the setting, else in the provider's own credits as it reported them. */
  money: number | null
  moneyUnit: string | null
  moneyPerCall: number | null
  moneyPerUsableRecord: number | null
  /** How many of its newest records were read for the rates. */
  recordsRead: number
  /** The share of them in which a field has a value, 0 to 1. */
  fillRates: Record<string, number>
  /** Fields that it fills and no other provider does. */
  alone: string[]
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

/** Rates every provider over a span. The counts are of all calls; rates and comparisons are of the newest records. */
export async function scoreProviders(deps: Deps, span: { since: number; until: number }): Promise<Scorecard> {
  const { store, providers } = deps
  const tallies = await countCalls(store, { ...span, sample: sampleSize })
  const inChain = providers.facts.filter(({ inChain: isAsked }) => isAsked)
  for (const { name } of inChain)
    for (const kind of kinds) {
      const key = `${name} ${kind}`
      if (!tallies.has(key)) tallies.set(key, new CallTally(name, kind))
    }
  const scores: ProviderScore[] = []
  for (const tally of tallies.values()) scores.push(await scoreOf(deps, tally))
  const place = ({ tally }: ProviderScore) => providers.facts.findIndex(({ name }) => name === tally.provider)
  const sorted = scores.toSorted(
    (a, b) => kinds.indexOf(a.tally.kind) - kinds.indexOf(b.tally.kind) || place(a) - place(b),
  )
  return {
    scores: sorted.map((score) => ({ ...score, alone: fieldsAlone(score, sorted) })),
    disagreements: await findDisagreements(store, span),
  }
}

async function scoreOf({ store, providers }: Deps, tally: CallTally): Promise<ProviderScore> {
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
    const part = await store.fillCounts({ fetchIds: fetchIds.slice(at, at + recordsAtOnce) })
    records += part.records
    for (const [field, count] of Object.entries(part.filled)) filled.set(field, (filled.get(field) ?? 0) + count)
  }
  if (records === 0) return { records, rates: {} }
  const rate = (field: string) => Math.round(((filled.get(field) ?? 0) / records) * 10_000) / 10_000
  return { records, rates: Object.fromEntries([...everyField[kind]].map((field) => [field, rate(field)])) }
}

/** Where no other provider gave records of this kind there is nothing to compare with. */
function fieldsAlone({ tally, fillRates: own }: ProviderScore, all: readonly ProviderScore[]): string[] {
  const others = all.filter(
    (other) => other.tally.kind === tally.kind && other.tally.provider !== tally.provider && other.recordsRead > 0,
  )
  if (others.length === 0) return []
  return Object.keys(own).filter(
    (field) => (own[field] ?? 0) > 0 && others.every((other) => (other.fillRates[field] ?? 0) === 0),
  )
}
