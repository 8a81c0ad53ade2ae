import type { SettleRequest } from './settlement-requests.ts'
import type { Outcome } from './store/settlement-wire.ts'

const rememberedAtMost = 100_000

/**
 * Which versions this process knows to be noted as answers to an environment: a further answer with the same version costs
 * the store no statement. Only what was committed is remembered.
 */
export class NotedVersions {
  readonly #accounts = new Map<number, Set<number>>()

  /** The ids of the requests whose version the store is to note. */
  toNote(requests: readonly SettleRequest[]): string[] {
    return requests.filter((request) => this.#unnoted(request) !== null).map(({ requestId }) => requestId)
  }

  /** To be called with what the store has answered. */
  settled(requests: readonly SettleRequest[], outcomes: readonly Outcome[]): void {
    for (const [index, request] of requests.entries()) {
      const versionId = outcomes[index]?.outcome === 'settled' ? this.#unnoted(request) : null
      if (versionId === null) continue
      if (this.#accounts.size > rememberedAtMost) this.#accounts.clear()
      this.#accounts.set(versionId, (this.#accounts.get(versionId) ?? new Set()).add(request.accountId))
    }
  }

  #unnoted(request: SettleRequest): number | null {
    const versionId = 'call' in request ? request.call.versionId : null
    return versionId !== null && this.#accounts.get(versionId)?.has(request.accountId) ? null : versionId
  }
}
