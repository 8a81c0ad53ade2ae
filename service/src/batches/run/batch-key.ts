import type { Kind } from '@vitae/contract'
import { toCaller, type Caller } from '../../accounts/key-cache.ts'
import type { PartsAsked } from '../../records/body/record-bytes.ts'
import type { BatchDeps } from '../deps.ts'
import type { RowOf } from '../look-up-row.ts'

/** Why a key may not go on with its batch. `isFinal`: it never will. */
export interface Refusal {
  code: string
  isFinal: boolean
}

const readEveryMs = 2_000

/** The key that a batch runs under, as it is now: read again every two seconds. */
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

  /** The next look reads the key again: a call was refused because of it. */
  distrust(): void {
    this.#readAt = -Infinity
  }

  async look(): Promise<{ caller: Caller } | { refusal: Refusal }> {
    const now = this.#deps.clock.now()
    if (this.#caller && Math.abs(now - this.#readAt) < readEveryMs) return { caller: this.#caller }
    const row = await this.#deps.store.keyOfBatch({ batchId: this.#batchId })
    const caller = row && toCaller(row, this.#deps.defaultRate)
    const refusal = refusalOf(caller, this.#rowOf, now)
    if (!caller || refusal) return { refusal: refusal ?? revoked }
    this.#caller = caller
    this.#readAt = now
    return { caller }
  }
}

const revoked: Refusal = { code: 'revoked_api_key', isFinal: true }

/** In the order of a lookup; null where the key may go on. */
function refusalOf(caller: Caller | null, { kind, options }: RowOf, now: number): Refusal | null {
  if (!caller || now >= caller.revokedAt) return revoked
  if (now >= caller.expiresAt) return { code: 'expired_api_key', isFinal: true }
  const { suspended, billingBlocked } = caller
  const lacking = lackingRight(caller, kind, options.include)
  const code = suspended ? 'project_suspended' : billingBlocked ? 'billing_blocked' : lacking
  return code === null ? null : { code, isFinal: false }
}

/** What the key may not do of what such a batch does; null where it may do all of it. */
export function lackingRight(
  { endpoints, parts }: Caller,
  kind: Kind,
  include: PartsAsked,
): 'endpoint_not_allowed' | 'part_not_allowed' | null {
  if (endpoints && !endpoints.has(kind)) return 'endpoint_not_allowed'
  const asked = (['network', 'contact', 'verifications'] as const).filter((part) => include[part])
  return kind === 'people' && parts && asked.some((part) => !parts.has(part)) ? 'part_not_allowed' : null
}
