import type { StoredBatch } from '../store/submit-batch.ts'
import type { BatchDeps } from '../rows/deps.ts'
import { paidBy, type ResumedRow } from '../rows/look-up-row.ts'
import { paidRows } from './paid-rows.ts'
import type { FailedBefore } from './row-failures.ts'

/** A row that waits for its lookup. */
export interface WaitingRow extends ResumedRow, FailedBefore {
  /** It is not retried before this time. */
  notBefore: number
}

/** The maximum number of rows of a batch in memory: waiting, in progress, or with an unwritten result. */
const loadedAtMost = 500

/** The waiting rows of one batch, read from the store in pieces. */
export class RowQueue {
  readonly #deps: BatchDeps
  readonly #batch: StoredBatch
  /** Charges from before a crash that no result includes, by the request that paid. */
  readonly uncounted = new Map<string, number>()
  #rows: WaitingRow[] = []
  #lastRead = 0

  constructor(deps: BatchDeps, batch: StoredBatch) {
    this.#deps = deps
    this.#batch = batch
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  /** Whether a row that was paid for before a crash waits for its retry. Its credits are not yet counted as spent. */
  get hasPaid(): boolean {
    return this.#rows.some(({ paidRequest }) => paidRequest !== null)
  }

  /** Reads the next rows if there is room for many. `beside`: rows in memory that no longer wait. */
  async fill(beside: number): Promise<void> {
    const loaded = this.#rows.length + beside
    if (loaded > loadedAtMost / 2) return
    const { id } = this.#batch
    const isFirst = this.#lastRead === 0
    const read = await this.#deps.store.batches.pendingBatchRows({
      id,
      after: this.#lastRead,
      limit: loadedAtMost - loaded,
    })
    this.#lastRead = read.at(-1)?.number ?? this.#lastRead
    // All rows that were paid for before a crash are among the first waiting ones.
    const paid = isFirst ? await paidRows(this.#deps, this.#batch, read) : null
    for (const { requestId, isCounted } of paid?.values() ?? [])
      if (!isCounted && !this.uncounted.has(requestId))
        this.uncounted.set(requestId, (await paidBy(this.#deps.store, requestId)).credits)
    const rows = read.map((row) => ({
      ...row,
      attempts: 0,
      answersBefore: 0,
      notBefore: 0,
      paidRequest: paid?.get(row.number)?.requestId ?? null,
    }))
    // Paid rows come first: they are answered whatever budget is left.
    this.#rows.push(...rows.toSorted((a, b) => Number(b.paidRequest !== null) - Number(a.paidRequest !== null)))
  }

  /** The next row that may be tried. */
  take(now: number): WaitingRow | null {
    const place = this.#rows.findIndex(({ notBefore }) => notBefore <= now)
    return place < 0 ? null : (this.#rows.splice(place, 1)[0] ?? null)
  }

  putBack(row: WaitingRow): void {
    this.#rows.unshift(row)
  }

  putLast(row: WaitingRow): void {
    this.#rows.push(row)
  }
}
