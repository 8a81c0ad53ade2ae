import type { Looked } from './look-up.ts'

/** Small, because whole records are kept and may be large. */
const keptAtMost = 1_000

/**
 * Looks up each identifier once, within the last thousand. An older repeat calls the service again, where the job's
 * idempotency key makes it a free replay.
 */
export class LookupCache {
  readonly #kept = new Map<string, Promise<Looked>>()
  readonly #look: (id: string) => Promise<Looked>

  constructor(look: (id: string) => Promise<Looked>) {
    this.#look = look
  }

  get(id: string): Promise<Looked> {
    const known = this.#kept.get(id)
    // The first row carries the credits.
    if (known) return known.then((looked) => ({ ...looked, credits: 0, replayed: false }))
    const looked = this.#look(id)
    this.#kept.set(id, looked)
    const oldest = this.#kept.keys().next().value
    if (this.#kept.size > keptAtMost && oldest !== undefined) this.#kept.delete(oldest)
    return looked
  }
}
