import type { Entry } from './settle-batch.ts'

/**
 * The requests of one environment that wait, in the order in which they came. Its states, and what leads from one to another:
 *
 *     idle       nothing waits                            a request comes              -> ready
 *     ready      waits for a batch that environments share    is taken                     -> inFlight
 *     contended  waits for a batch of its own, which      is taken                     -> inFlight
 *                waits for the environment's lock
 *     stuck      the lock did not come in time: for a     is taken, as if it was ready -> inFlight
 *                moment nobody waits for it again
 *     inFlight   a batch with it is in the store          settled, nothing waits       -> idle
 *                                                         settled, more waits          -> ready (after its own batch: contended)
 *                                                         another had the lock         -> contended
 *                                                         the same, while it is stuck,
 *                                                         or no place to wait is left  -> stuck, and its requests fail
 *                                                         the lock never came          -> stuck, and all requests fail
 */
export interface EnvironmentLine {
  environmentId: number
  state: 'idle' | 'ready' | 'inFlight' | 'contended' | 'stuck'
  waiting: Entry[]
  stuckUntil: number
}

/** What is taken out of a line for one batch. */
export interface Part {
  line: EnvironmentLine
  entries: Entry[]
}

const stuckMs = 1_000

/** The lines of all environments for which something waits or is in flight. */
export class EnvironmentLines {
  readonly #lines = new Map<number, EnvironmentLine>()
  readonly #forShared = new Set<EnvironmentLine>()
  readonly #forOwn = new Set<EnvironmentLine>()
  #waiting = 0
  #charges = 0

  get waiting(): number {
    return this.#waiting
  }

  /** Of what waits, stored answers. */
  get charges(): number {
    return this.#charges
  }

  /** Whether anything waits for a batch that environments share. */
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

  /** Takes the next environment that needs a batch of its own: of those whose last lock came, or of those whose lock did not. */
  takeOwn(most: number, { suspect }: { suspect: boolean }): Part | null {
    for (const line of this.#forOwn) if (isSuspect(line) === suspect) return this.#take(line, most)
    return null
  }

  /** A batch was answered. As long as more of a contended environment wait, others want it too, and it goes on alone. */
  settled({ line }: Part, wasOwn: boolean): void {
    line.stuckUntil = 0
    this.#become(line, line.waiting.length === 0 ? 'idle' : wasOwn ? 'contended' : 'ready')
  }

  /**
   * Another transaction had the environment. Returns the requests that fail for it. `mayWait`: there is a place for an environment whose lock did
   * not come the last time.
   */
  locked({ line, entries }: Part, mayWait: boolean): Entry[] {
    const isStuck = performance.now() < line.stuckUntil || (isSuspect(line) && !mayWait)
    // What may have been committed is asked about in any case.
    if (isStuck && !entries.some(({ maybeDone }) => maybeDone)) {
      this.#become(line, 'stuck')
      return entries
    }
    line.waiting.unshift(...entries)
    this.#count(1, entries)
    this.#become(line, 'contended')
    return []
  }

  /** The lock of a contended environment did not come in time. Returns the requests that fail for it. */
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

/** Whether its lock did not come the last time that it was waited for. */
function isSuspect({ stuckUntil }: EnvironmentLine): boolean {
  return stuckUntil > 0
}

/** How many of them are stored answers. */
export function chargesIn(entries: readonly Entry[]): number {
  let count = 0
  for (const { request } of entries) if (request.type === 'charge') count += 1
  return count
}
