import { setTimeout as pause } from 'node:timers/promises'
import { isLostConnection, wasNeverSent } from '../database/engine/lost-connection.ts'
import { Failure } from '../foundation/failure.ts'
import type { Decision, SettleRequest } from './decision/settlement-requests.ts'
import {
  decodeOutcomes,
  encodeBatch,
  isPayment,
  type Outcome,
  type SentBatch,
  type SentOutcomes,
} from './store/settlement-wire.ts'

export interface SettleStore {
  settle(sent: SentBatch): Promise<SentOutcomes>
  /** The store is in this process, so nothing is encoded. */
  readonly isHere?: boolean
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
  const isBilling = entries.some(({ request, maybeDone }) => isPayment(request) || maybeDone)
  for (let attempt = 0; ; attempt += 1) {
    const retry = entries.some(({ maybeDone }) => maybeDone)
    try {
      const batch = { requests, retry, wait, toNote: noted.toNote(requests) }
      const outcomes = decodeOutcomes(await store.settle(store.isHere ? batch : encodeBatch(batch)))
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
      if (waitMs === undefined || isLate) throw unavailable(error, maybeDone && isBilling)
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

/**
 * The waiting requests of one environment, in order of arrival. Its states and their transitions:
 *
 *     idle       nothing waits                          a request arrives             -> ready
 *     ready      waits for a shared batch               taken                         -> inFlight
 *     contended  waits for its own batch, which waits   taken                         -> inFlight
 *                for the environment's lock
 *     stuck      the lock timed out: for 1 second no    taken, as if it were ready    -> inFlight
 *                batch waits for it again
 *     inFlight   its batch is in the store              settled, nothing waits        -> idle
 *                                                       settled, more wait            -> ready (after its own batch: contended)
 *                                                       another holds the lock        -> contended
 *                                                       the same, while it is stuck
 *                                                       or no slot to wait is left    -> stuck, and its requests fail
 *                                                       the lock timed out            -> stuck, and all requests fail
 */
export interface EnvironmentLine {
  environmentId: number
  state: 'idle' | 'ready' | 'inFlight' | 'contended' | 'stuck'
  waiting: Entry[]
  stuckUntil: number
}

/** The requests taken from a line for one batch. */
export interface Part {
  line: EnvironmentLine
  entries: Entry[]
}

const stuckMs = 1_000

/** The lines of all environments with waiting or in-flight requests. */
export class EnvironmentLines {
  readonly #lines = new Map<number, EnvironmentLine>()
  readonly #forShared = new Set<EnvironmentLine>()
  readonly #forOwn = new Set<EnvironmentLine>()
  #waiting = 0
  #charges = 0

  get waiting(): number {
    return this.#waiting
  }

  /** The number of waiting charges for stored answers. */
  get charges(): number {
    return this.#charges
  }

  /** Whether any request waits for a shared batch. */
  get mayShare(): boolean {
    return this.#forShared.size > 0
  }

  add(entry: Entry): void {
    const { environmentId } = entry.request
    const line = this.#lines.get(environmentId) ?? { environmentId, state: 'idle', waiting: [], stuckUntil: 0 }
    this.#lines.set(environmentId, line)
    line.waiting.push(entry)
    this.#count(1, [entry])
    if (line.state === 'idle') this.#become(line, 'ready')
    else if (line.state === 'stuck') this.#forShared.add(line)
  }

  /** Whether no request of an environment waits or is in the store. */
  isIdle(environmentId: number): boolean {
    return !this.#lines.has(environmentId)
  }

  /** Takes requests of all environments that may share a batch. */
  takeShared(most: number): Part[] {
    const parts: Part[] = []
    let left = most
    for (const line of this.#forShared) {
      if (left === 0) break
      const part = this.#take(line, left)
      left -= part.entries.length
      parts.push(part)
    }
    return parts
  }

  /** Takes the next environment that needs its own batch. `suspect` selects those whose last lock attempt timed out. */
  takeOwn(most: number, { suspect }: { suspect: boolean }): Part | null {
    for (const line of this.#forOwn) if (isSuspect(line) === suspect) return this.#take(line, most)
    return null
  }

  /** A batch was answered. While more requests of a contended environment wait, it keeps getting its own batches. */
  settled({ line }: Part, wasOwn: boolean): void {
    line.stuckUntil = 0
    this.#become(line, line.waiting.length === 0 ? 'idle' : wasOwn ? 'contended' : 'ready')
  }

  /**
   * Another transaction holds the environment's lock. Returns the requests that fail. `mayWait`: a slot is free for an
   * environment whose last lock attempt timed out.
   */
  locked({ line, entries }: Part, mayWait: boolean): Entry[] {
    const isStuck = performance.now() < line.stuckUntil || (isSuspect(line) && !mayWait)
    // Requests that may have been committed are always retried, to find their outcome.
    if (isStuck && !entries.some(({ maybeDone }) => maybeDone)) {
      this.#become(line, 'stuck')
      return entries
    }
    line.waiting.unshift(...entries)
    this.#count(1, entries)
    this.#become(line, 'contended')
    return []
  }

  /** The lock of a contended environment timed out. Returns the requests that fail. */
  lockNeverCame({ line, entries }: Part): Entry[] {
    const failing = [...entries, ...line.waiting]
    this.#count(-1, line.waiting)
    line.waiting = []
    line.stuckUntil = performance.now() + stuckMs
    this.#become(line, 'stuck')
    return failing
  }

  #take(line: EnvironmentLine, most: number): Part {
    this.#become(line, 'inFlight')
    const entries = line.waiting.splice(0, most)
    this.#count(-1, entries)
    return { line, entries }
  }

  #become(line: EnvironmentLine, state: EnvironmentLine['state']): void {
    line.state = state
    this.#forShared.delete(line)
    this.#forOwn.delete(line)
    if (state === 'idle') this.#lines.delete(line.environmentId)
    else if (state === 'contended') this.#forOwn.add(line)
    else if (state !== 'inFlight' && line.waiting.length > 0) this.#forShared.add(line)
  }

  #count(sign: 1 | -1, entries: readonly Entry[]): void {
    this.#waiting += sign * entries.length
    this.#charges += sign * chargesIn(entries)
  }
}

/** Whether the last attempt to lock it timed out. */
function isSuspect({ stuckUntil }: EnvironmentLine): boolean {
  return stuckUntil > 0
}

/** The number of charges for stored answers. */
export function chargesIn(entries: readonly Entry[]): number {
  let count = 0
  for (const { request } of entries) if (request.type === 'charge') count += 1
  return count
}
