import { setTimeout as pause } from 'node:timers/promises'
import { createBatcher } from '../foundation/batcher.ts'
import type { Store } from '../database/store.ts'
import { Failure } from '../foundation/failure.ts'
import { isLostConnection, wasNeverSent } from '../database/lost-connection.ts'
import type { creditOperations } from './operations.ts'
import type { Decision, SettleRequest } from './settlement-requests.ts'
import { decisionOf, requestRow } from './store/settlement-wire.ts'

type SettleStore = Pick<Store<typeof creditOperations>, 'settle'>

export interface Settlements {
  /** Resolves when the batch that the request went with is durable. */
  settle(request: SettleRequest): Promise<Decision>
}

const waitingAtMost = 20_000
const retryAfterMs = [50, 250]
/** A batch that may have been committed is asked about for longer: an answer must not say "failed" to who was charged. */
const findAfterMs = [50, 250, 500, 1_000, 1_000, 2_000, 3_000]
const findWithinMs = 8_000

/**
 * Group commit: one settlement is in flight, and all that arrive meanwhile form the next.
 * A batch whose answer was lost on the way is asked for again, and not settled twice.
 */
export function createSettlementQueue(
  store: SettleStore,
  onBatch?: (size: number, ms: number) => void,
  arriving?: () => Promise<unknown> | null,
): Settlements {
  let waiting = 0
  const join = createBatcher(async (requests: SettleRequest[]) => {
    const started = performance.now()
    try {
      return await settleBatch(store, requests)
    } finally {
      waiting -= requests.length
      onBatch?.(requests.length, performance.now() - started)
    }
  }, arriving && { arriving })
  return {
    settle(request) {
      if (waiting >= waitingAtMost) return Promise.reject(new Failure('overloaded', { retryAfterSeconds: 1 }))
      waiting += 1
      return join(request)
    },
  }
}

async function settleBatch(store: SettleStore, requests: SettleRequest[]): Promise<Decision[]> {
  const started = performance.now()
  const rows = requests.map(requestRow)
  let maybeDone = false
  for (let attempt = 0; ; attempt += 1) {
    try {
      return (await store.settle({ rows, retry: maybeDone })).map(decisionOf)
    } catch (error) {
      if (!isLostConnection(error)) throw error
      maybeDone ||= !wasNeverSent(error)
      const waitMs = (maybeDone ? findAfterMs : retryAfterMs)[attempt]
      const isLate = performance.now() - started > findWithinMs
      if (waitMs === undefined || isLate) throw new Failure('store_unavailable', { cause: error, retryAfterSeconds: 1 })
      await pause(waitMs)
    }
  }
}
