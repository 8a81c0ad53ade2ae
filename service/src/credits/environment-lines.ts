import type { Entry } from './settle-batch.ts'

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
