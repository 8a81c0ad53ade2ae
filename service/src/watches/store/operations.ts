import { read, report, single, write, type Subject } from '../../database/engine/operation.ts'
import { addWatches, countWatches } from './add-watches.ts'
import { bringBackWatches } from './choose-due.ts'
import { claimWatches, finishWatch } from './due-watches.ts'
import { listWatches, removeWatch } from './list-watches.ts'
import { pausedKeys, pauseWatches, resumeWatches } from './pause-watches.ts'
import { resumeBudgets, watchBudget } from './watch-budget.ts'

/** All store operations of the watchlist. */
export const watchOperations = {
  addWatches: write(addWatches),
  countWatches: read(countWatches),
  listWatches: report(listWatches, 'short'),
  removeWatch: write(removeWatch),
  watchBudget: read(watchBudget),
  claimWatches: write(claimWatches),
  bringBackWatches: single(bringBackWatches),
  finishWatch: write(finishWatch),
  pauseWatches: write(pauseWatches),
  pausedKeys: read(pausedKeys),
  resumeWatches: single(resumeWatches),
  resumeBudgets: single(resumeBudgets),
}
export type WatchStore = Subject<typeof watchOperations>
