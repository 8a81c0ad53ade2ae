import { LRUCache } from 'lru-cache'
import type { Caller } from '../accounts/key-cache.ts'
import type { RemainingCredits } from '../credits/settlement-requests.ts'
import type { Clock } from '../foundation/clock.ts'
import type { AnyFailureCode } from '../foundation/failure.ts'
import type { ServiceStore } from './store/service-store.ts'

const goodForMs = 1_000

/**
 * What a caller has left, for the headers of a failure. It is read from the ledger, except for a caller who is being
 * refused for calling too often: such a flood must not reach the store, so an answer that is a second old is used.
 */
export function createRemainingCredits(store: Pick<ServiceStore, 'remainingCredits'>, clock: Clock) {
  type Read = { credits: RemainingCredits | null | Promise<RemainingCredits | null> }
  const recent = new LRUCache<string, Read>({ maxSize: 10_000, sizeCalculation: () => 1, ttl: goodForMs })
  const read = async ({ keyId, accountId }: Caller): Promise<RemainingCredits | null> => {
    try {
      return await store.remainingCredits({ accountId, keyId, at: clock.now() })
    } catch {
      // The failure itself is answered also while the store is away.
      return null
    }
  }
  return (caller: Caller, code: AnyFailureCode | null): Read['credits'] => {
    const known = code === 'rate_limit_exceeded' ? recent.get(caller.keyId) : undefined
    if (known) return known.credits
    const reading: Read = { credits: read(caller).then((credits) => (reading.credits = credits)) }
    recent.set(caller.keyId, reading)
    return reading.credits
  }
}
