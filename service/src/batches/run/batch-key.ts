import { toCaller, type Caller, refusalOf } from '../../accounts/caller.ts'
import { endedKey } from '../../foundation/failure.ts'
import type { BatchDeps } from '../rows/deps.ts'
import type { RowOf } from '../rows/look-up-row.ts'

/** Why a key may not continue its batch. `isFinal`: this cannot change. */
export interface Refusal {
  code: string
  isFinal: boolean
}

const readEveryMs = 2_000

/** The current state of a batch's key, read again every two seconds. */
export class BatchKey {
  readonly #deps: BatchDeps
  readonly #batchId: number
  readonly #rowOf: RowOf
  #caller: Caller | null = null
  #readAt = -Infinity

  constructor(deps: BatchDeps, batchId: number, rowOf: RowOf) {
    this.#deps = deps
    this.#batchId = batchId
    this.#rowOf = rowOf
  }

  /** Forces the next check to read the key again, after a call was refused because of it. */
  distrust(): void {
    this.#readAt = -Infinity
  }

  async look(): Promise<{ caller: Caller } | { refusal: Refusal }> {
    const now = this.#deps.clock.now()
    if (this.#caller && Math.abs(now - this.#readAt) < readEveryMs) return { caller: this.#caller }
    const row = await this.#deps.store.keys.findKey({ batchId: this.#batchId })
    const caller = row && toCaller(row, this.#deps.defaultRate)
    const { kind, options } = this.#rowOf
    const asks = (part: keyof typeof options.include) => options.include[part]
    const code = caller ? refusalOf(caller, { kind, asks, spends: true }, now) : 'revoked_api_key'
    if (!caller || code) return { refusal: { code: code ?? 'revoked_api_key', isFinal: isFinal(code) } }
    this.#caller = caller
    this.#readAt = now
    return { caller }
  }
}

function isFinal(code: string | null): boolean {
  return endedKey.some((each) => each === code)
}
