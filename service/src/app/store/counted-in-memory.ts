import type { CallCount, Spending } from '../../providers/operations.ts'
import type { ServiceStore } from './service-store.ts'

type Ask = Parameters<ServiceStore['spendBudget']>[0]
type Pausing = Parameters<ServiceStore['setProviderPaused']>[0]

/**
 * The store of the only process, where the calls of a provider without a limit are counted in memory and written with
 * what they bring: asking the store before each of them would cost a fetch a commit of its own. What was answered is
 * counted durably, as before. A provider with a limit is counted before it is asked, and so is one that may be paused.
 */
export function countedInMemory(store: ServiceStore): { store: ServiceStore; close(): Promise<void> } {
  const counts = new CallCounts(store)
  // What is not assigned below is inherited from the store.
  const counted: ServiceStore = Object.create(store)
  counted.spendBudget = (ask) => counts.spend(ask)
  counted.setProviderPaused = (args) => counts.setPaused(args)
  counted.budgetStates = async (args) => {
    await counts.write()
    return store.budgetStates(args)
  }
  counted.saveFetch = (args) => store.saveFetch({ ...args, counts: counts.take() })
  counted.saveMiss = (args) => store.saveMiss({ ...args, counts: counts.take() })
  counted.saveFault = (args) => store.saveFault({ ...args, counts: counts.take() })
  return { store: counted, close: () => counts.write() }
}

class CallCounts {
  readonly #store: ServiceStore
  /** Providers that the store has just let be asked without a limit. */
  readonly #free = new Set<string>()
  readonly #limited = new Set<string>()
  readonly #unwritten = new Map<string, CallCount>()
  #pauses = 0

  constructor(store: ServiceStore) {
    this.#store = store
  }

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
    const isFree = limit === null && !this.#limited.has(provider) && spending === 'ok'
    if (isFree && pauses === this.#pauses) this.#free.add(provider)
    return spending
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
