import type { Store } from '../database/store.ts'
import type { CallCount } from '../database/sql/count-provider-calls.ts'
import type { ProviderOperations, Spending } from './operations.ts'
import { utcMonth } from '../foundation/clock.ts'
import { ProviderFault } from '@vitae/provider'

/** The operations that count calls or depend on the counts. */
export type CountedOperations = Pick<
  Store<ProviderOperations>,
  'spendBudget' | 'peekBudget' | 'countCalls' | 'budgetStates' | 'setProviderPaused'
>
type Ask = Parameters<CountedOperations['spendBudget']>[0]
type Pausing = Parameters<CountedOperations['setProviderPaused']>[0]

/**
 * How many calls providers have had, and whether one more may be made. In the only process on a store the calls of a
 * provider without a limit are counted in memory and written with what they bring: asking the store before each of them
 * would cost a fetch a commit of its own. What was answered is counted durably, as before. A provider with a limit is
 * counted before it is asked, and so is one that may be paused; with other nodes beside it, every call is.
 */
export class CallCounts {
  readonly #store: CountedOperations
  readonly #alone: boolean
  /** Providers that the store has just let be asked without a limit. */
  readonly #free = new Set<string>()
  readonly #limited = new Set<string>()
  readonly #unwritten = new Map<string, CallCount>()
  #pauses = 0

  constructor(store: CountedOperations, { alone }: { alone: boolean }) {
    this.#store = store
    this.#alone = alone
  }

  /** Counts one call, unless it may not be made. */
  async spend(ask: Ask): Promise<Spending> {
    const { provider, month, limit } = ask
    if (limit === null && this.#free.has(provider) && !this.#limited.has(provider)) {
      this.#add({ provider, month, calls: 1 })
      return 'ok'
    }
    if (limit !== null) this.#limited.add(provider)
    await this.write()
    const pauses = this.#pauses
    const spending = await this.#store.spendBudget(ask)
    const isFree = this.#alone && limit === null && !this.#limited.has(provider) && spending === 'ok'
    if (isFree && pauses === this.#pauses) this.#free.add(provider)
    return spending
  }

  /** What `spend` would say; nothing is counted. */
  peek(ask: Ask): Promise<Spending> {
    return this.#store.peekBudget(ask)
  }

  /** While it is being paused or resumed, the store is asked. */
  async setPaused(args: Pausing): Promise<void> {
    this.#forgetFree()
    try {
      await this.#store.setProviderPaused(args)
    } finally {
      this.#forgetFree()
    }
  }

  /** Writes what no save has taken along: a call may fail before anything is kept of it. */
  async write(): Promise<void> {
    const counts = this.take()
    if (counts.length > 0) await this.#store.countCalls({ counts })
  }

  /** How many calls each provider has had in a month, those in memory included. */
  async states(month: string): ReturnType<CountedOperations['budgetStates']> {
    await this.write()
    return this.#store.budgetStates({ month })
  }

  /** What a save takes along. */
  take(): CallCount[] {
    const counts = [...this.#unwritten.values()]
    this.#unwritten.clear()
    return counts
  }

  #forgetFree(): void {
    this.#pauses++
    this.#free.clear()
  }

  #add({ provider, month, calls }: CallCount): void {
    const name = `${provider} ${month}`
    this.#unwritten.set(name, { provider, month, calls: calls + (this.#unwritten.get(name)?.calls ?? 0) })
  }
}

/** What an operator allows: asked once per ask, before the provider is. */
export interface Budget {
  spend(provider: string, at: number): Promise<Spending>
  /** What `spend` would say; nothing is counted. */
  peek(provider: string, at: number): Promise<Spending>
}

/** Counts calls durably by UTC calendar month. A provider without a limit is counted all the same, for the operator to see. */
export function createBudget(
  counts: Pick<CallCounts, 'spend' | 'peek'>,
  limits: Readonly<Record<string, number | null>>,
): Budget {
  const asked = (provider: string, at: number) => ({ provider, month: utcMonth(at), limit: limits[provider] ?? null })
  return {
    spend: (provider, at) => counts.spend(asked(provider, at)),
    peek: (provider, at) => counts.peek(asked(provider, at)),
  }
}

/** The outage that a refusal by the operator is, or null when the call may be made. */
export function refusalOf(provider: string, spending: Spending): ProviderFault | null {
  if (spending === 'ok') return null
  const why = spending === 'paused' ? 'is paused' : 'has no calls left this month'
  return new ProviderFault('unavailable', `${provider} ${why}`, { retryAfterSeconds: 60 })
}
