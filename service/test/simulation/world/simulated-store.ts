import type { RunOperation } from '../../../src/database/store.ts'
import { Failure } from '../../../src/foundation/failure.ts'
import type { OpenStore } from './sqlite-engine.ts'
import type { Unheard } from './unheard.ts'

interface Message {
  name: string
  args: unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** What happens to the next message of a name, after so many others of it. */
export interface Strike {
  name: string
  after: number
  /** It is done, and its answer is lost; it is refused, and not done; or the process dies right after it was done, right before, or in its midst. */
  what: 'answer is lost' | 'is refused' | 'dies after' | 'dies before' | 'dies inside'
  /** So many statements of it are done where the process dies in its midst. */
  statements: number
}

/**
 * The store's thread or connection, taken apart: messages wait until the scheduler has the store take them, and replies
 * wait until it has them arrive. Both keep their order.
 */
export class SimulatedStore {
  readonly #opened: OpenStore
  readonly #unheardOf: Unheard
  #messages: Message[] = []
  #replies: (() => void)[] = []
  #dead = false
  #strike: Strike | null = null
  /** The process has to die now: nobody hears of what was done. */
  isStruck = false
  /** An operation broke a rule of its tables. The service may try again and tell its caller that the store was away: it was not. */
  broken: Error | null = null
  #taken = 0
  /** While a start or a step of an operator runs, the store takes and answers at once. */
  #atOnce = 0
  /** Its process stands still: what was sent is taken, and no reply is read. */
  isFrozen = false

  constructor(opened: OpenStore, unheardOf: Unheard) {
    this.#opened = opened
    this.#unheardOf = unheardOf
  }

  readonly run: RunOperation = (name, args) =>
    new Promise((resolve, reject) => {
      if (this.#dead) return
      this.#messages.push({ name, args: structuredClone(args), resolve, reject })
      if (this.#atOnce > 0) void this.#flush()
    })

  get waiting(): number {
    return this.#messages.length
  }

  get unheard(): number {
    return this.#replies.length
  }

  get underWay(): string[] {
    const replies = this.unheard > 0 ? [`${this.unheard} replies of the store`] : []
    return [...this.#messages.map(({ name }) => `message ${name}`), ...replies]
  }

  get isIdle(): boolean {
    return this.waiting + this.unheard === 0
  }

  /** Changes whenever balances, limits, what is spent of them, or batches may have changed. */
  get moves(): number {
    return this.#opened.moves() ?? this.#taken
  }

  /** Runs the first messages together, as the store does with those that arrive together. Their replies wait. */
  async take(count: number): Promise<void> {
    if (this.isStruck) return
    const done = this.#messages.splice(0, count).map((message) => this.#perform(message))
    this.#replies.push(...(await Promise.all(done)))
  }

  hear(count: number): void {
    if (this.isStruck || this.isFrozen) return
    for (const reply of this.#replies.splice(0, count)) if (!this.#dead) reply()
  }

  arm(strike: Strike | null): void {
    this.#strike = strike
  }

  /** The first message is refused, as by a full disk: nothing of it was done. */
  refuse(): void {
    const message = this.#messages.shift()
    if (message) this.#replies.push(this.#refused(message))
  }

  /** The first message gets no answer, as when a connection breaks; it may have been done. */
  async lose({ done }: { done: boolean }): Promise<void> {
    const message = this.#messages.shift()
    if (!message) return
    if (done) await this.#perform(message)
    this.#replies.push(this.#lost(message))
  }

  /** The process dies; with `statements`, in the middle of what the store is told next. */
  async die(statements: number | null): Promise<void> {
    if (statements !== null) {
      this.#opened.dieAfter(statements)
      await this.take(this.#messages.length)
    }
    this.#dead = true
    this.#messages = []
    this.#replies = []
    await this.#opened.close()
  }

  /** Work whose every message is taken and answered without the scheduler. */
  async atOnce<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#atOnce += 1
    try {
      const working = work()
      await this.#flush()
      return await working
    } finally {
      this.#atOnce -= 1
    }
  }

  async #flush(): Promise<void> {
    await this.take(this.#messages.length)
    this.hear(this.#replies.length)
  }

  async #perform(message: Message): Promise<() => void> {
    const { name, args, resolve, reject } = message
    this.#taken += 1
    const strike = this.#strikeOn(name)
    if (strike?.what === 'is refused') return this.#refused(message)
    this.isStruck ||= strike?.what === 'dies before'
    if (this.isStruck) return this.#lost(message)
    if (strike?.what === 'dies inside') this.#opened.dieAfter(strike.statements)
    try {
      const result = await this.#opened.run(name, args)
      this.isStruck ||= strike !== null && strike.what !== 'answer is lost'
      if (strike !== null) return this.#lost(message)
      return () => {
        if (name === 'settle') this.#unheardOf.heard(args, JSON.stringify(result))
        resolve(structuredClone(result))
      }
    } catch (error) {
      this.isStruck ||= strike?.what === 'dies inside'
      if (error instanceof Error && /constraint/.test(error.message)) this.broken ??= error
      return () => reject(error)
    }
  }

  #refused({ name, args, reject }: Message): () => void {
    if (name === 'settle') this.#unheardOf.refused(args)
    return () => reject(new Failure('store_unavailable', { retryAfterSeconds: 5 }))
  }

  /** As `open-postgres-store.ts` reports an answer that never came. */
  #lost({ name, args, reject }: Message): () => void {
    const error = Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })
    if (name === 'settle') this.#unheardOf.lost(args)
    return () => reject(name === 'settle' ? error : new Failure('store_unavailable', { cause: error }))
  }

  #strikeOn(name: string): Strike | null {
    const strike = this.#strike
    if (strike?.name !== name || strike.after-- > 0) return null
    this.#strike = null
    return strike
  }
}
