import type { RunOperation } from '../../../src/database/engine/operation.ts'
import { Failure } from '../../../src/foundation/failure.ts'
import type { OpenStore } from './sqlite-engine.ts'
import type { Unheard } from './unheard.ts'

interface Message {
  name: string
  args: unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** An accident for the next message of a name, after a number of others with that name. */
export interface Strike {
  name: string
  after: number
  /**
   * The message is done but its reply is lost; or it is refused and not done; or the process dies right after, right
   * before or inside it.
   */
  what: 'answer is lost' | 'is refused' | 'dies after' | 'dies before' | 'dies inside'
  /** The number of statements that run before the process dies inside it. */
  statements: number
}

/**
 * The store's thread or connection. Messages wait until the scheduler lets the store take them, and replies wait until
 * it delivers them. Both keep their order.
 */
export class SimulatedStore {
  readonly #opened: OpenStore
  readonly #unheardOf: Unheard
  readonly #rest: (() => Promise<void>) | null
  #turn: Promise<void> = Promise.resolve()
  #messages: Message[] = []
  #replies: (() => void)[] = []
  #dead = false
  #strike: Strike | null = null
  /** The process must die now, before anyone learns what was done. */
  isStruck = false
  /**
   * An operation violated a table constraint. This is a bug, even if the service retries or reports the store as
   * unavailable.
   */
  broken: Error | null = null
  #taken = 0
  /** While a start or an operator's step runs, the store takes and replies at once. */
  #atOnce = 0
  /** Messages that are taken and answered at once. */
  readonly #flushes = new Set<Promise<void>>()
  /** The process is frozen: sent messages are taken, but no reply is read. */
  isFrozen = false

  /**
   * With `rest`, messages run one after another. Each waits until nothing else can go on, so its duration changes no order.
   * A process dies before a message, never inside.
   */
  constructor(opened: OpenStore, unheardOf: Unheard, rest: (() => Promise<void>) | null) {
    this.#rest = rest
    this.#opened = opened
    this.#unheardOf = unheardOf
  }

  readonly run: RunOperation = (name, args) =>
    new Promise((resolve, reject) => {
      if (this.#dead) return
      this.#messages.push({ name, args: structuredClone(args), resolve, reject })
      if (this.#atOnce > 0) this.#flushes.add(this.#flush())
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

  /** Changes whenever balances, limits, spending or batches may have changed. */
  get moves(): number {
    return this.#opened.moves() ?? this.#taken
  }

  /** Runs the first messages together, as the store does with concurrent ones. Their replies wait. */
  async take(count: number): Promise<void> {
    if (this.isStruck) return
    const messages = this.#messages.splice(0, count)
    const rest = this.#rest
    if (rest) return (this.#turn = this.#turn.then(() => this.#performInTurn(messages, rest)))
    this.#replies.push(...(await Promise.all(messages.map((message) => this.#perform(message)))))
  }

  async #performInTurn(messages: readonly Message[], rest: () => Promise<void>): Promise<void> {
    for (const message of messages) {
      await rest()
      this.#replies.push(await this.#perform(message))
    }
  }

  hear(count: number): void {
    if (this.isStruck || this.isFrozen) return
    for (const reply of this.#replies.splice(0, count)) if (!this.#dead) reply()
  }

  arm(strike: Strike | null): void {
    this.#strike = strike
  }

  /** Refuses the first message, as with a full disk: nothing of it was done. */
  refuse(): void {
    const message = this.#messages.shift()
    if (message) this.#replies.push(this.#refused(message))
  }

  /** Loses the reply to the first message, as with a broken connection. It may have been done. */
  async lose({ done }: { done: boolean }): Promise<void> {
    const message = this.#messages.shift()
    if (!message) return
    if (done) await this.#perform(message)
    this.#replies.push(this.#lost(message))
  }

  /** The process dies; with `statements`, in the middle of the next message. */
  async die(statements: number | null): Promise<void> {
    if (statements !== null && !this.#rest) {
      this.#opened.dieAfter(statements)
      await this.take(this.#messages.length)
    }
    this.#dead = true
    this.#messages = []
    this.#replies = []
    await this.#opened.close()
  }

  /**
   * Runs work whose messages are taken and answered without the scheduler. It also waits for messages that the work itself
   * does not wait for.
   */
  async atOnce<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#atOnce += 1
    try {
      const working = work()
      await this.#flush()
      return await working
    } finally {
      for (const flush of this.#flushes) await flush.finally(() => this.#flushes.delete(flush))
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
    this.isStruck ||= strike?.what === 'dies before' || (this.#rest !== null && strike?.what === 'dies inside')
    if (this.isStruck) return this.#lost(message)
    if (strike?.what === 'dies inside') this.#opened.dieAfter(strike.statements)
    try {
      const result = await this.#opened.run(name, args)
      this.isStruck ||= strike !== null && strike.what !== 'answer is lost'
      if (strike !== null) return this.#lost(message)
      return () => {
        if (name === 'credits.settle') this.#unheardOf.heard(args, JSON.stringify(result))
        resolve(structuredClone(result))
      }
    } catch (error) {
      this.isStruck ||= strike?.what === 'dies inside'
      if (error instanceof Error && /constraint/.test(error.message)) this.broken ??= error
      return () => reject(error)
    }
  }

  #refused({ name, args, reject }: Message): () => void {
    if (name === 'credits.settle') this.#unheardOf.refused(args)
    return () => reject(new Failure('store_unavailable', { retryAfterSeconds: 5 }))
  }

  /** The error that `open-postgres-store.ts` reports for a missing reply. */
  #lost({ name, args, reject }: Message): () => void {
    const error = Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })
    if (name === 'credits.settle') this.#unheardOf.lost(args)
    return () => reject(name === 'credits.settle' ? error : new Failure('store_unavailable', { cause: error }))
  }

  #strikeOn(name: string): Strike | null {
    const strike = this.#strike
    if (strike?.name !== name || strike.after-- > 0) return null
    this.#strike = null
    return strike
  }
}
