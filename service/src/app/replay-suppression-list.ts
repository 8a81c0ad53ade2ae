import { loadProviderModules } from '../config/load-provider-modules.ts'
import { readConfig } from '../config/config.ts'
import { proofOf } from '../cluster/share-secret.ts'
import { StartError } from '../foundation/data-folder.ts'
import { createLog } from '../foundation/log.ts'
import { replaySuppressions, type Replayed } from '../lifecycle/suppression/replay-suppressions.ts'
import { readSuppressionFile } from '../lifecycle/suppression/suppression-file.ts'
import { openEngine } from './open-engine.ts'

/**
 * For a store that was restored by other means, such as PostgreSQL's own tools: imports the current list and erases
 * everyone on it; its batches, watches and webhooks are stopped. Run it before the first service starts on the store.
 */
export async function replaySuppressionList(path: string): Promise<Replayed & { workStopped: boolean }> {
  const list = await readSuppressionFile(path)
  if (!list) throw new StartError(`There is no file ${path}`)
  const onFatal = (error: Error) => {
    throw error
  }
  await loadProviderModules()
  const engine = await openEngine({ config: readConfig(), log: createLog('error', false, 2), onFatal })
  try {
    const { store, suppressions, secret, clock } = engine
    if (list.proof !== null && list.proof !== proofOf(secret))
      throw new StartError(`${path} was written with another secret key`)
    const items = [...list.items.values()]
    // First, so that the backup's work cannot continue if the replay is interrupted.
    const workStopped = await store.upkeep.stopWork(null)
    const replayed = await replaySuppressions({ store, suppressions, secret, at: clock.now(), thorough: true }, items)
    return { ...replayed, workStopped }
  } finally {
    await engine.close()
  }
}
