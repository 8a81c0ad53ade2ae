import type { Clock } from '../../foundation/clock.ts'

/** Which worker does which piece of work. What a dead one had claimed is free again at once. */
export class FetchClaims {
  readonly #claims = new Map<string, { worker: number; until: number }>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** False where another has it. */
  claim(worker: number, name: string, forMs: number): boolean {
    const now = this.#clock.now()
    const claim = this.#claims.get(name)
    if (claim && claim.until > now) return false
    this.#claims.set(name, { worker, until: now + forMs })
    return true
  }

  renew(worker: number, name: string, forMs: number): void {
    const claim = this.#claims.get(name)
    if (claim?.worker === worker) claim.until = this.#clock.now() + forMs
  }

  giveUp(worker: number, name: string): void {
    if (this.#claims.get(name)?.worker === worker) this.#claims.delete(name)
  }

  left(worker: number): void {
    for (const [name, claim] of this.#claims) if (claim.worker === worker) this.#claims.delete(name)
  }
}
