import type { PendingRow } from '../../records/batches/run-batches.ts'
import type { StoredBatch } from '../../records/batches/submit-batch.ts'
import type { BatchDeps } from '../deps.ts'
import { rowMarkHashes } from '../row-mark.ts'
import type { FailedBefore } from './row-failures.ts'

/** A row that waits for its lookup. */
export interface WaitingRow extends PendingRow, FailedBefore {
  /** It is not tried again before this moment. */
  notBefore: number
  /** The request that paid for it before a crash. */
  paidRequest: string | null
}

/** At most so many rows of a batch are in memory: waiting, under way, or with a result that is not written yet. */
const loadedAtMost = 500

/** The rows of one batch that wait for their lookup, read from the store piece by piece. */
export class RowQueue {
  readonly #deps: BatchDeps
  readonly #batch: StoredBatch
  #rows: WaitingRow[] = []
  #lastRead = 0

  constructor(deps: BatchDeps, batch: StoredBatch) {
    this.#deps = deps
    this.#batch = batch
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  /** Reads the next rows when there is room for many. `beside`: rows in memory that no longer wait. */
  async fill(beside: number): Promise<void> {
    const loaded = this.#rows.length + beside
    if (loaded > loadedAtMost / 2) return
    const { id } = this.#batch
    const isFirst = this.#lastRead === 0
    const read = await this.#deps.store.pendingBatchRows({ id, after: this.#lastRead, limit: loadedAtMost - loaded })
    this.#lastRead = read.at(-1)?.number ?? this.#lastRead
    const paid = isFirst ? await this.#paidBefore(read) : new Map<number, string>()
    const rows = read.map((row) => ({
      ...row,
      attempts: 0,
      answersBefore: 0,
      notBefore: 0,
      paidRequest: paid.get(row.number) ?? null,
    }))
    // First those that were paid for, so that what they cost is known before more is spent.
    this.#rows.push(...rows.toSorted((a, b) => Number(b.paidRequest !== null) - Number(a.paidRequest !== null)))
  }

  /** The next row whose time has come. */
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

  /** The rows that were paid for before a crash: all are among the first that wait. */
  async #paidBefore(rows: PendingRow[]): Promise<Map<number, string>> {
    if (rows.length === 0) return new Map()
    const { account_id: accountId, public_id: publicId } = this.#batch
    const numbers = rows.map(({ number }) => number)
    const hashes = rowMarkHashes(this.#deps.lookup.secret, { accountId, publicId }, numbers)
    const marks = await this.#deps.store.paidBatchMarks({ accountId, hashes })
    const requests = new Map(marks.map(({ hash, requestId }) => [hash, requestId]))
    return new Map(
      numbers.flatMap((number, index) => {
        const requestId = requests.get(hashes[index] ?? '')
        return requestId === undefined ? [] : [[number, requestId] as const]
      }),
    )
  }
}
