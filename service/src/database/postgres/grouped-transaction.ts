import type { Statement, StatementResult } from './statement-group.ts'

/** Sends statements to the server together; if one fails, all fail. */
export type RunGroup = (statements: readonly Statement[]) => Promise<StatementResult[]>

interface Waiting extends Statement {
  resolve?(result: StatementResult): void
  reject?(error: unknown): void
}

/**
 * A transaction whose statements are queued at the server, not here. Statements requested together take one round trip.
 * Statements that nobody awaits travel with the next awaited one, the last of them with the commit.
 */
export class GroupedTransaction {
  readonly #runGroup: RunGroup
  #waiting: Waiting[]
  #isLeaving = false

  constructor(runGroup: RunGroup, begin: readonly string[]) {
    this.#runGroup = runGroup
    this.#waiting = begin.map((text) => ({ text, values: [] }))
  }

  /** For a statement whose rows are not needed. If it fails, the statements that travel with it fail. */
  readonly send = (text: string, values: readonly unknown[]): unknown[] => {
    this.#waiting.push({ text, values })
    return []
  }

  readonly run = (text: string, values: readonly unknown[]): Promise<StatementResult> =>
    new Promise((resolve, reject) => {
      this.#waiting.push({ text, values, resolve, reject })
      if (this.#isLeaving) return
      this.#isLeaving = true
      queueMicrotask(() => void this.#leave())
    })

  /** Resolves when everything is durable. */
  async commit(): Promise<void> {
    const { command } = await this.run('commit', [])
    // The server answers this way if a statement had failed and the failure was ignored.
    if (command !== 'COMMIT') throw new Error('a transaction was undone, because one of its statements had failed')
  }

  /** Undoes everything. Statements that have not been sent yet are dropped. */
  async rollback(): Promise<void> {
    this.#waiting = []
    await this.run('rollback', [])
  }

  async #leave(): Promise<void> {
    const leaving = this.#waiting
    this.#waiting = []
    this.#isLeaving = false
    try {
      const results = await this.#runGroup(leaving)
      for (const [index, result] of results.entries()) leaving[index]?.resolve?.(result)
    } catch (error) {
      for (const { reject } of leaving) reject?.(error)
    }
  }
}
