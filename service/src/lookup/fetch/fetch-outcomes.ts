import type { FetchEnd } from '../../cluster/peers.ts'

/** News of fetches that other processes make, for those here who wait for them. */
export class FetchOutcomes {
  readonly #waiting = new Map<string, Set<(end: FetchEnd) => void>>()

  /** Begins to listen for the end of a fetch; must be called before it is known that another has claimed it. */
  expect(name: string): { end: Promise<FetchEnd>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<FetchEnd>()
    const waiting = this.#waiting.get(name) ?? new Set()
    this.#waiting.set(name, waiting.add(resolve))
    const stop = () => {
      waiting.delete(resolve)
      if (waiting.size === 0) this.#waiting.delete(name)
    }
    return { end: promise, stop }
  }

  heard(name: string, end: FetchEnd): void {
    for (const resolve of this.#waiting.get(name) ?? []) resolve(end)
  }
}
