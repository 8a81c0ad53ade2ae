import type { Statement, StatementResult } from './statement-group.ts'

/** Sends statements to the server together; one that fails fails all. */
export type RunGroup = (statements: readonly Statement[]) => Promise<StatementResult[]>

interface Waiting extends Statement {
  resolve?(result: StatementResult): void
  reject?(error: unknown): void
}

/**
 * A transaction whose statements wait for each other at the server and not here. What is asked for in one go is one round
 * trip, and what nobody waits for goes with the next that somebody does, the last of it with the commit.
 */
export class GroupedTransaction {
  readonly #runGroup: RunGroup
  #waiting: Waiting[]
  #isLeaving = false

  constructor(runGroup: RunGroup, begin: readonly string[]) {
    this.#runGroup = runGroup
    this.#waiting = begin.map((text) => ({ text, values: [] }))
  }

  /** For a statement whose rows nobody wants. Where it fails, what goes with it fails. */
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

  /** Resolves when all is durable. */
  async commit(): Promise<void> {
    const { command } = await this.run('commit', [])
    // That is how the server answers where a statement had failed, and somebody had taken no notice.
    if (command !== 'COMMIT') throw new Error('a transaction was undone, because one of its statements had failed')
  }

  /** Nothing of it is done. What has not left yet does not leave. */
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
