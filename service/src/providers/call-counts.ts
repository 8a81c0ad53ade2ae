import type { CallCount, CallCountStore } from './operations.ts'
import { utcMonth } from '../foundation/clock.ts'
import type { Budget, Spending } from './transport/exchange.ts'

interface Ask {
  provider: string
  month: string
  /** Calls per month; null = no budget. */
  limit: number | null
}
type Pausing = Parameters<CallCountStore['setProviderPaused']>[0]

/** This node's share of a budget in a month: calls that are counted in the store and not made yet. */
interface Share {
  ask: Ask & { limit: number }
  left: number
  isUsed: boolean
  isAsking: boolean
  waiting: { resolve(spending: Spending): void; reject(error: unknown): void }[]
}

const writeEveryMs = 1_000
/** A share is at most this many calls, and a hundredth of what is left: a node that dies loses it. */
const shareAtMost = 20

/**
 * Counts provider calls and decides whether another one may be made. The row of a provider's month is shared by all
 * nodes, so no call waits for it. Without a budget, calls are counted in memory and written once a second. With one, a
 * node takes shares of it: they are counted before the calls, so that all nodes together never exceed it. A share that
 * was not used for a second is returned.
 */
export class CallCounts {
  readonly #store: CallCountStore
  /** Providers that the store has just allowed: none of them is paused. */
  readonly #allowed = new Set<string>()
  readonly #limited = new Set<string>()
  readonly #shares = new Map<string, Share>()
  readonly #unwritten = new Map<string, CallCount>()
  readonly #timer = setInterval(() => void this.#writeDue(), writeEveryMs).unref()
  #pauses = 0
  #writing: Promise<void> = Promise.resolve()
  /** False while a pause at another node might not be noticed here: then every call asks the store. */
  mayCache = (): boolean => true

  constructor(store: CallCountStore) {
    this.#store = store
  }

  /** Counts one call, unless it is not allowed. */
  async spend(ask: Ask): Promise<Spending> {
    const { provider, month, limit } = ask
    if (limit !== null) return this.#spendShare({ ...ask, limit })
    if (!this.#allowed.has(provider) || !this.mayCache()) {
      const pauses = this.#pauses
      const spending = await this.#store.peekBudget(ask)
      if (spending !== 'ok') return spending
      if (pauses === this.#pauses) this.#allowed.add(provider)
    }
    this.#add({ provider, month, calls: 1 })
    // Other nodes take shares of this month, and must see every call.
    if (this.#limited.has(provider)) await this.write()
    return 'ok'
  }

  /** The result that `spend` would return, without counting. */
  async peek(ask: Ask): Promise<Spending> {
    if (ask.limit !== null) await this.write()
    return this.#store.peekBudget(ask)
  }

  /** Asks the store while a provider is being paused or resumed. */
  async setPaused(args: Pausing): Promise<void> {
    this.forget()
    try {
      await this.#store.setProviderPaused(args)
    } finally {
      this.forget()
    }
  }

  /** A provider may have been paused: the next call of each asks the store. */
  forget(): void {
    this.#pauses++
    this.#allowed.clear()
  }

  /** Writes the calls that were made, and returns the shares that were not used. */
  write(): Promise<void> {
    for (const share of this.#shares.values()) this.#giveBack(share)
    return this.#write()
  }

  /** The number of calls per provider in a month, including those in memory. */
  async states(month: string): ReturnType<CallCountStore['budgetStates']> {
    await this.write()
    return this.#store.budgetStates({ month })
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.write()
  }

  #spendShare(ask: Ask & { limit: number }): Spending | Promise<Spending> {
    this.#limited.add(ask.provider)
    // A share is of one month, and of one limit: that of the calls for which it was taken.
    const name = `${ask.provider} ${ask.month} ${ask.limit}`
    const share = this.#shares.get(name) ?? { ask, left: 0, isUsed: false, isAsking: false, waiting: [] }
    this.#shares.set(name, share)
    share.isUsed = true
    if (share.left > 0 && this.#allowed.has(ask.provider) && this.mayCache()) {
      share.left--
      return 'ok'
    }
    return new Promise((resolve, reject) => {
      share.waiting.push({ resolve, reject })
      void this.#askForShare(share)
    })
  }

  /** Asks for all calls that wait, and for some more: one question at a time, so that shares stay small. */
  async #askForShare(share: Share): Promise<void> {
    if (share.isAsking) return
    share.isAsking = true
    while (share.waiting.length > 0) {
      const waiting = share.waiting.splice(0)
      try {
        // Calls without a budget count too, and what is left of the last share is not taken twice.
        this.#giveBack(share)
        await this.#write()
        const pauses = this.#pauses
        const ahead = this.mayCache() ? shareAtMost : 0
        const { spending, granted } = await this.#store.spendBudget({ ...share.ask, calls: waiting.length, ahead })
        if (spending === 'ok' && pauses === this.#pauses) this.#allowed.add(share.ask.provider)
        share.left += Math.max(0, granted - waiting.length)
        for (const [index, { resolve }] of waiting.entries())
          resolve(index < granted ? 'ok' : spending === 'paused' ? 'paused' : 'spent')
      } catch (error) {
        for (const { reject } of waiting) reject(error)
      }
    }
    share.isAsking = false
  }

  #giveBack(share: Share): void {
    if (share.left === 0) return
    const { provider, month } = share.ask
    this.#add({ provider, month, calls: -share.left })
    share.left = 0
  }

  #writeDue(): Promise<void> {
    for (const [name, share] of this.#shares) {
      if (share.isUsed || share.isAsking) share.isUsed = false
      else {
        this.#giveBack(share)
        this.#shares.delete(name)
      }
    }
    // A failure is met again by the next call, and the counts wait for the next write.
    return this.#write().catch(() => undefined)
  }

  /** Also waits for an earlier write that is in progress. */
  async #write(): Promise<void> {
    const counts = [...this.#unwritten.values()].filter(({ calls }) => calls !== 0)
    this.#unwritten.clear()
    if (counts.length === 0) return this.#writing
    const written = this.#writing.then(() => this.#writeCounts(counts))
    this.#writing = written.catch(() => undefined)
    return written
  }

  async #writeCounts(counts: CallCount[]): Promise<void> {
    try {
      await this.#store.countCalls({ counts })
    } catch (error) {
      // It may have been committed. A call that is counted twice exceeds no budget; a share returned twice could.
      for (const count of counts) if (count.calls > 0) this.#add(count)
      throw error
    }
  }

  #add({ provider, month, calls }: CallCount): void {
    const name = `${provider} ${month}`
    this.#unwritten.set(name, { provider, month, calls: calls + (this.#unwritten.get(name)?.calls ?? 0) })
  }
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
