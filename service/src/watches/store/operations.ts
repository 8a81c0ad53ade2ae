import { addWatches } from './add-watches.ts'
import { bringBackWatches } from './bring-back-watches.ts'
import { claimWatches, finishWatch } from './due-watches.ts'
import { listWatches, removeWatch, watchKind } from './list-watches.ts'
import { pausedKeys, pauseWatches, resumeWatches } from './pause-watches.ts'
import { resumeBudgets, watchBudget } from './watch-budget.ts'

/** Everything that the watchlist does in the store. */
export const watchOperations = {
  addWatches,
  listWatches,
  removeWatch,
  watchKind,
  watchBudget,
  claimWatches,
  bringBackWatches,
  finishWatch,
  pauseWatches,
  pausedKeys,
  resumeWatches,
  resumeBudgets,
}
export type WatchOperations = typeof watchOperations
