import { setTimeout as pause } from 'node:timers/promises'
import type { Chain } from '../providers/chain/chain.ts'
import { Failure } from '../foundation/failure.ts'
import type { DiskRoom } from './disk-room.ts'
import type { Engine } from './engine.ts'

const readyWithinMs = 2_000
/** Who asks is anyone, and on the embedded engine the proof costs an fsync. */
const askStoreEveryMs = 1_000

/** Ready means that the store takes writes: without it no call can be billed, and so none is served. */
export function watchReadiness(
  { store, peers, redisConnected }: Engine,
  chain: Chain,
  disk: DiskRoom | null,
): () => Promise<{ ready: boolean; checks: Record<string, unknown> }> {
  let asked: { at: number; fault: Promise<string | null> } | null = null
  const storeFault = (): Promise<string | null> => {
    if (asked && performance.now() - asked.at < askStoreEveryMs) return asked.fault
    asked = { at: performance.now(), fault: store.ping(null).then(() => null, faultIn) }
    return asked.fault
  }
  return async () => {
    const fault = await Promise.race([storeFault(), pause(readyWithinMs, 'it does not answer', { ref: false })])
    const hasRoom = disk === null || (await disk.look())
    const checks = {
      store: fault === null ? 'ok' : 'unreachable',
      ...(fault === null ? {} : { store_fault: fault }),
      ...(disk ? { disk: hasRoom ? 'ok' : 'full' } : {}),
      neighbours: peers.connected ? 'ok' : 'disconnected',
      redis: redisConnected ? (redisConnected() ? 'ok' : 'disconnected') : 'not_configured',
      upstream: chain.states(),
    }
    return { ready: fault === null && hasRoom, checks }
  }
}

/** For operators: a failure's own words are for callers, its cause says what happened. */
function faultIn(error: unknown): string {
  const cause = error instanceof Failure && error.cause ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
