const everyMs = 10_000
const rememberedAtMost = 50_000

/**
 * When keys were last used, until that is written. The first use after a pause is due at once; a key in constant use is
 * written every ten seconds, because thousands of such keys would otherwise cost as much as their calls.
 */
export class KeyUses {
  readonly #waiting = new Map<string, number>()
  readonly #written = new Map<string, number>()

  note(keyId: string, at: number): void {
    this.#waiting.set(keyId, at)
  }

  /** Takes out what is due, or all of it. */
  take(now: number, all: boolean): { id: string; at: number }[] {
    if (this.#written.size > rememberedAtMost) this.#written.clear()
    const due: { id: string; at: number }[] = []
    for (const [id, at] of this.#waiting) {
      if (!all && Math.abs(now - (this.#written.get(id) ?? -Infinity)) < everyMs) continue
      this.#waiting.delete(id)
      this.#written.set(id, now)
      due.push({ id, at })
    }
    return due
  }
}
