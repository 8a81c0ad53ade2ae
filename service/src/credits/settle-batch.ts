import { setTimeout as pause } from 'node:timers/promises'
import { isLostConnection, wasNeverSent } from '../database/lost-connection.ts'
import { Failure } from '../foundation/failure.ts'
import type { Decision, SettleRequest } from './settlement-requests.ts'
import { decodeOutcomes, encodeBatch, type Outcome, isPayment } from './store/settlement-wire.ts'

export interface SettleStore {
  settle(text: string): Promise<string>
}

/** A request on its way to the store. */
export interface Entry {
  request: SettleRequest
  /** An attempt may have been committed although its answer was lost. */
  maybeDone: boolean
  resolve(decision: Decision): void
  reject(error: unknown): void
}

const retryAfterMs = [50, 250]
/** A batch that may have been committed is retried for longer: a caller that was charged must not get a failure. */
const findAfterMs = [50, 250, 500, 1_000, 1_000, 2_000, 3_000]
const findWithinMs = 8_000

/**
 * Settles a batch in the store. If the connection is lost, the batch is sent again and is not settled twice. A process
 * that was frozen meanwhile retries at least once.
 */
export async function settleBatch(
  store: SettleStore,
  entries: readonly Entry[],
  { wait, noted }: { wait: boolean; noted: NotedVersions },
): Promise<Outcome[]> {
  const started = performance.now()
  const requests = entries.map(({ request }) => request)
  for (let attempt = 0; ; attempt += 1) {
    const retry = entries.some(({ maybeDone }) => maybeDone)
    try {
      const batch = encodeBatch({ requests, retry, wait, toNote: noted.toNote(requests) })
      const outcomes = decodeOutcomes(await store.settle(batch))
      noted.settled(requests, outcomes)
      return outcomes
    } catch (error) {
      // A batch that may have been committed is retried whatever the store says: a lock may belong to our own lost
      // attempt.
      if (!retry && !isLostConnection(error)) throw error
      const maybeDone = retry || !wasNeverSent(error)
      for (const entry of entries) entry.maybeDone = maybeDone
      const waitMs = (maybeDone ? findAfterMs : retryAfterMs)[attempt]
      const isLate = attempt > 0 && performance.now() - started > findWithinMs
      if (waitMs === undefined || isLate) throw unavailable(error, maybeDone && requests.some(isPayment))
      await pause(waitMs)
    }
  }
}

function unavailable(cause: unknown, maybeBilled: boolean): Failure {
  const detail =
    'The connection to the store was lost, so this call may have been billed. Retry with the same Idempotency-Key: it returns the answer at no further cost.'
  return new Failure('store_unavailable', { cause, retryAfterSeconds: 1, ...(maybeBilled && { detail }) })
}

const rememberedAtMost = 100_000

/**
 * Remembers which versions are already recorded as answers to an environment, so that repeating one costs no statement.
 * Only committed versions are remembered.
 */
export class NotedVersions {
  readonly #environments = new Map<number, Set<number>>()

  /** The requests whose version the store must record, with the key of the answered record. */
  toNote(requests: readonly SettleRequest[]): [requestId: string, key: string][] {
    return requests.flatMap((request) =>
      'call' in request && this.#unnoted(request) !== null ? [[request.requestId, request.call.key ?? '']] : [],
    )
  }

  /** Call it with the outcomes of the store. */
  settled(requests: readonly SettleRequest[], outcomes: readonly Outcome[]): void {
    for (const [index, request] of requests.entries()) {
      const versionId = outcomes[index]?.outcome === 'settled' ? this.#unnoted(request) : null
      if (versionId === null) continue
      if (this.#environments.size > rememberedAtMost) this.#environments.clear()
      this.#environments.set(versionId, (this.#environments.get(versionId) ?? new Set()).add(request.environmentId))
    }
  }

  #unnoted(request: SettleRequest): number | null {
    const versionId = 'call' in request ? request.call.versionId : null
    return versionId !== null && this.#environments.get(versionId)?.has(request.environmentId) ? null : versionId
  }
}
