import { kinds, type Kind } from '@vitae/contract'
import type { UsageCount } from '../../credits/reports/usage-ask.ts'
import type { Providers } from '../../providers/describe-providers.ts'
import type { LifecycleStore } from '../store/operations.ts'
import { type CallTally, countCalls } from './count-calls.ts'
import { priceOf } from '../../providers/chain/money.ts'

/** The provider calls that answers from the store saved, and their cost. */
export interface Saved {
  calls: number
  /** In the credits that providers report; null if none reports any. */
  credits: number | null
  /** Null if no provider has a price. */
  money: number | null
}

interface Deps {
  store: LifecycleStore
  providers: Pick<Providers, 'facts'>
}

/**
 * Estimates the savings by the average cost of an answered provider call in the same period. Without such calls it uses
 * the price of the chain's first priced provider.
 */
export async function savedByStore({ store, providers }: Deps, span: { since: number; until: number }): Promise<Saved> {
  const by: ('source' | 'endpoint')[] = ['source', 'endpoint']
  const ask = { ...span, bucket: null, by, project: null, environment: null, mode: 'live' as const }
  const [counts = []] = await store.usage.countUsage({ ask })
  const answers = storeAnswers(counts)
  const tallies = [...(await countCalls(store, { ...span, sample: 0 })).values()]
  const priceOfProvider = (name: string) => providers.facts.find((facts) => facts.name === name)?.cost ?? null
  const firstPrice = providers.facts.find(({ inChain, cost }) => inChain && cost !== null)?.cost ?? null
  const saved: Saved = { calls: 0, credits: null, money: null }
  for (const kind of kinds) {
    const own = tallies.filter((tally) => tally.kind === kind)
    const priced = own.filter(({ provider }) => priceOfProvider(provider) !== null)
    const paid = average(priced, (tally) => priceOf(priceOfProvider(tally.provider) ?? 0, tally.requests)) ?? firstPrice
    const reported = average(
      own.filter((tally) => tally.hasReported),
      (tally) => tally.reported,
    )
    saved.calls += answers[kind]
    if (paid !== null) saved.money = (saved.money ?? 0) + paid * answers[kind]
    if (reported !== null) saved.credits = (saved.credits ?? 0) + reported * answers[kind]
  }
  return { ...saved, money: rounded(saved.money), credits: rounded(saved.credits) }
}

function average(tallies: readonly CallTally[], costOf: (tally: CallTally) => number): number | null {
  const answered = tallies.reduce((sum, tally) => sum + tally.answered, 0)
  return answered === 0 ? null : tallies.reduce((sum, tally) => sum + costOf(tally), 0) / answered
}

function rounded(amount: number | null): number | null {
  return amount === null ? null : Math.round(amount * 100) / 100
}

function storeAnswers(counts: readonly UsageCount[]): Record<Kind, number> {
  const answers = { people: 0, companies: 0 }
  for (const { source, kind, calls } of counts) if (source === 'store' && kind) answers[kind] += calls
  return answers
}
