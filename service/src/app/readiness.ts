import { setTimeout as pause } from 'node:timers/promises'
import type { Chain } from '../providers/chain/chain.ts'
import type { DiskRoom } from './disk-room.ts'
import type { Engine } from './engine.ts'

const readyWithinMs = 2_000

/** Ready means that the store takes writes: without it no call can be billed, and so none is served. */
export async function readiness(
  { store, peers, redisConnected }: Engine,
  chain: Chain,
  disk: DiskRoom | null,
): Promise<{ ready: boolean; checks: Record<string, unknown> }> {
  const reached = store.ping(null).then(
    () => true,
    () => false,
  )
  const isReached = await Promise.race([reached, pause(readyWithinMs, false, { ref: false })])
  const hasRoom = disk === null || (await disk.look())
  const checks = {
    store: isReached ? 'ok' : 'unreachable',
    ...(disk ? { disk: hasRoom ? 'ok' : 'full' } : {}),
    neighbours: peers.connected ? 'ok' : 'disconnected',
    redis: redisConnected ? (redisConnected() ? 'ok' : 'disconnected') : 'not_configured',
    upstream: chain.states(),
  }
  return { ready: isReached && hasRoom, checks }
}
