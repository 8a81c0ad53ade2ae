import { LRUCache } from 'lru-cache'
import type { Caller } from '../accounts/key-cache.ts'
import type { Clock } from '../foundation/clock.ts'
import type { AnyFailureCode } from '../foundation/failure.ts'
import type { HouseStore } from '../store/service-store.ts'

type Standing = { available: number; ceilingRemaining: number | null }

const goodForMs = 1_000

/**
 * What a caller has left, for the headers of a failure. It is read from the ledger, except for a caller who is being
 * refused for calling too often: such a flood must not reach the store, so there a moment-old answer will do.
 */
export function createStandings(store: Pick<HouseStore, 'creditStanding'>, clock: Clock) {
  const recent = new LRUCache<string, Standing>({ maxSize: 10_000, sizeCalculation: () => 1, ttl: goodForMs })
  return async ({ keyId, accountId }: Caller, code: AnyFailureCode): Promise<Standing | null> => {
    const known = code === 'rate_limit_exceeded' ? recent.get(keyId) : undefined
    if (known) return known
    try {
      const standing = await store.creditStanding({ accountId, keyId, at: clock.now() })
      recent.set(keyId, standing)
      return standing
    } catch {
      // The failure itself still has to be told, also while the store is away.
      return null
    }
  }
}
