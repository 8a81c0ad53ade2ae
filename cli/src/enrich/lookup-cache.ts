import type { Looked } from './look-up.ts'

/** Whole records are kept, and they may be large. */
const keptAtMost = 1_000

/**
 * Looks each identifier up once, as far as memory allows: the last thousand are kept. A repeat beyond that goes to
 * the service again, where the job's idempotency key makes it a free replay.
 */
export class LookupCache {
  readonly #kept = new Map<string, Promise<Looked>>()
  readonly #look: (id: string) => Promise<Looked>

  constructor(look: (id: string) => Promise<Looked>) {
    this.#look = look
  }

  get(id: string): Promise<Looked> {
    const known = this.#kept.get(id)
    // A repeat is paid for by its first row.
    if (known) return known.then((looked) => ({ ...looked, credits: 0, replayed: false }))
    const looked = this.#look(id)
    this.#kept.set(id, looked)
    const oldest = this.#kept.keys().next().value
    if (this.#kept.size > keptAtMost && oldest !== undefined) this.#kept.delete(oldest)
    return looked
  }
}
