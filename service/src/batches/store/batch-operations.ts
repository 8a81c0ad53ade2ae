import {
  long,
  read,
  report,
  shared,
  single,
  write,
  type Operations,
  type Subject,
} from '../../database/engine/operation.ts'
import { readBatchRows, unfoundRows } from './batch-results.ts'
import { claimBatches, saveBatchResults } from './run-batches.ts'
import {
  completeSampleBatch,
  failForgottenBatches,
  leaveBatch,
  expiredBatches,
  giveUpBatch,
  removeBatch,
  removeBatchRows,
} from './end-batches.ts'
import { listOwnedBatches, ownedBatch, cancelBatch, listBatches, resumeBatch, showBatch } from './show-batch.ts'
import {
  erasedBatchRows,
  paidBatchRequests,
  pendingBatchRows,
  addBatchRows,
  keyedBatchRows,
  setSubjects,
} from './batch-rows.ts'
import { storedAmong } from './stored-among.ts'
import { beginBatch, finishBatch } from './submit-batch.ts'

/** Every batch operation of the store. */
export const batchOperations = {
  beginBatch: write(beginBatch),
  addBatchRows: shared('synced', addBatchRows),
  setSubjects: write(setSubjects),
  keyedBatchRows: read(keyedBatchRows),
  finishBatch: long(finishBatch),
  giveUpBatch: single(giveUpBatch),
  showBatch: read(showBatch),
  listBatches: report(listBatches, 'short'),
  ownedBatch: read(ownedBatch),
  listOwnedBatches: report(listOwnedBatches),
  storedAmong: read(storedAmong),
  cancelBatch: write(cancelBatch),
  resumeBatch: write(resumeBatch),
  claimBatches: long(claimBatches),
  pendingBatchRows: read(pendingBatchRows),
  paidBatchRequests: read(paidBatchRequests),
  erasedBatchRows: read(erasedBatchRows),
  saveBatchResults: write(saveBatchResults),
  completeSampleBatch: write(completeSampleBatch),
  leaveBatch: write(leaveBatch),
  failForgottenBatches: write(failForgottenBatches),
  readBatchRows: read(readBatchRows),
  unfoundRows: report(unfoundRows),
  expiredBatches: single(expiredBatches),
  removeBatchRows: write(removeBatchRows),
  removeBatch: single(removeBatch),
} satisfies Operations
export type BatchStore = Subject<typeof batchOperations>
