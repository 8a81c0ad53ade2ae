import type { BatchResult } from '../store/run-batches.ts'
import type { StoredBatch } from '../store/submit-batch.ts'
import type { BatchDeps } from '../rows/deps.ts'

const writtenAtOnce = 100
const writeEveryMs = 200

/** Writes the results of one batch in groups, one write after another. */
export class ResultWriter {
  readonly #deps: BatchDeps
  readonly #batch: { id: number; lease: number }
  /** Called when the batch has ended, or results cannot be written. */
  readonly #onEnd: () => void
  #results: BatchResult[] = []
  #answered = false
  #writing: Promise<void> = Promise.resolve()
  #inProgress = 0
  /**
   * The spending of the batch according to the store, plus an upper limit for waiting results, because several may
   * share one charge.
   */
  #saved: number
  #unsaved = 0
  #timer: NodeJS.Timeout | undefined

  constructor(deps: BatchDeps, { id, lease, credits }: StoredBatch, onEnd: () => void) {
    this.#deps = deps
    this.#batch = { id, lease }
    this.#saved = credits
    this.#onEnd = onEnd
  }

  /** The most that the batch can have spent; exact if no result waits. */
  get spent(): number {
    return this.#saved + this.#unsaved
  }

  /** Sets what the store counted before the first result. */
  beginAt(credits: number): void {
    this.#saved = credits
  }

  /** The number of unwritten results. */
  get waiting(): number {
    return this.#results.length + this.#inProgress
  }

  /** `answered`: a provider answered for this row, so there is no outage. */
  add(result: BatchResult, answered: boolean): void {
    this.#results.push(result)
    this.#unsaved += result.credits
    this.#answered ||= answered
    if (this.#results.length >= writtenAtOnce) void this.flush().catch(() => undefined)
    else this.#timer ??= setTimeout(() => void this.flush().catch(() => undefined), writeEveryMs)
  }

  /** Resolves when all results so far are written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const results = this.#results
    const answered = this.#answered
    this.#results = []
    this.#answered = false
    this.#inProgress += results.length
    this.#writing = this.#writing.then(() => this.#write(results, answered))
    return this.#writing
  }

  /** No row is left. If an erasure ended the last one, the batch still has to be completed. */
  async complete(): Promise<void> {
    const { store, clock, rules } = this.#deps
    const at = clock.now()
    await store.batches.saveBatchResults({
      ...this.#batch,
      results: [],
      answered: false,
      at,
      expiresAt: at + rules.keptMs,
    })
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** Results that cannot be written are looked up again by the next run, without another charge. */
  async #write(results: BatchResult[], answered: boolean): Promise<void> {
    if (results.length === 0) return
    const { store, clock, rules } = this.#deps
    const at = clock.now()
    try {
      const saved = await store.batches.saveBatchResults({
        ...this.#batch,
        results,
        answered,
        at,
        expiresAt: at + rules.keptMs,
      })
      this.#inProgress -= results.length
      this.#unsaved -= results.reduce((sum, { credits }) => sum + credits, 0)
      this.#saved = saved?.credits ?? this.#saved
      if (saved?.status !== 'running') this.#onEnd()
    } catch (error) {
      this.#onEnd()
      throw error
    }
  }
}
