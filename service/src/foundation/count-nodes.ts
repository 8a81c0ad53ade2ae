import { randomUUID } from 'node:crypto'
import { systemClock } from './clock.ts'
import type { Store } from './database/store.ts'
import type { Log } from './log.ts'
import type { NodeOperations } from './node-operations.ts'

const beatEveryMs = 2_000
const aliveWithinMs = 10_000

/** Counts the nodes that are alive by their heartbeats in the database; the last known number while it is lost. */
export async function countNodes(
  store: Pick<Store<NodeOperations>, 'beat' | 'endNode'>,
  log: Log,
): Promise<{ alive(): number; close(): Promise<void> }> {
  const id = randomUUID()
  let alive = 1
  const beat = async () => {
    try {
      alive = await store.beat({ id, at: systemClock.now(), aliveWithinMs })
    } catch (error) {
      log.warn({ err: error }, 'the heartbeat of this node could not be written')
    }
  }
  await beat()
  const timer = setInterval(() => void beat(), beatEveryMs)
  timer.unref()
  return {
    alive: () => alive,
    async close() {
      clearInterval(timer)
      await store.endNode({ id, deadBefore: systemClock.now() - 6 * aliveWithinMs }).catch(() => undefined)
    },
  }
}
