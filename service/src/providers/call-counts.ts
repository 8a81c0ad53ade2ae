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
 * Counts provider calls and decides whether another one may be made. If this is the only process on a store, calls to a
 * provider without a limit are counted in memory and written with the next save: asking the store first would cost each
 * fetch its own commit. Answered calls are still counted durably. Providers with a limit, and providers that may be
 * paused, are counted before the call. With other nodes, every call is.
 */
export class CallCounts {
  readonly #store: CountedOperations
  readonly #alone: boolean
  /** Providers without a limit that the store has just allowed. */
  readonly #free = new Set<string>()
  readonly #limited = new Set<string>()
  readonly #unwritten = new Map<string, CallCount>()
  #pauses = 0

  constructor(store: CountedOperations, { alone }: { alone: boolean }) {
    this.#store = store
    this.#alone = alone
  }

  /** Counts one call, unless it is not allowed. */
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

  /** The result that `spend` would return, without counting. */
  peek(ask: Ask): Promise<Spending> {
    return this.#store.peekBudget(ask)
  }

  /** Asks the store while a provider is being paused or resumed. */
  async setPaused(args: Pausing): Promise<void> {
    this.#forgetFree()
    try {
      await this.#store.setProviderPaused(args)
    } finally {
      this.#forgetFree()
    }
  }

  /** Writes counts that no save has included: a call may fail before anything is saved. */
  async write(): Promise<void> {
    const counts = this.take()
    if (counts.length > 0) await this.#store.countCalls({ counts })
  }

  /** The number of calls per provider in a month, including those in memory. */
  async states(month: string): ReturnType<CountedOperations['budgetStates']> {
    await this.write()
    return this.#store.budgetStates({ month })
  }

  /** Returns the counts to write with a save, and clears them. */
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

/** The operator's limits, checked once per ask before the provider is called. */
export interface Budget {
  spend(provider: string, at: number): Promise<Spending>
  /** The result that `spend` would return, without counting. */
  peek(provider: string, at: number): Promise<Spending>
}

/** Counts calls durably per UTC calendar month. A provider without a limit is counted too, for the operator to see. */
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

/** The fault for a call that the operator's limits refuse; null if the call is allowed. */
export function refusalOf(provider: string, spending: Spending): ProviderFault | null {
  if (spending === 'ok') return null
  const why = spending === 'paused' ? 'is paused' : 'has no calls left this month'
  return new ProviderFault('unavailable', `${provider} ${why}`, { retryAfterSeconds: 60 })
}
