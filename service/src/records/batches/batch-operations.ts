import type { Operations } from '../../database/store.ts'
import { readBatchRows } from './batch-results.ts'
import { listOwnedBatches, ownedBatch } from './operator-batches.ts'
import { expiredBatches, giveUpBatch, removeBatch, removeBatchRows } from './remove-batches.ts'
import {
  claimBatches,
  completeSampleBatch,
  freeBatches,
  leaveBatch,
  paidBatchMarks,
  pendingBatchRows,
  renewBatches,
  saveBatchResults,
} from './run-batches.ts'
import { cancelBatch, listBatches, resumeBatch, showBatch } from './show-batch.ts'
import { storedAmong } from './stored-among.ts'
import { addBatchRows, beginBatch, finishBatch } from './submit-batch.ts'

/** Every operation on batches that the store offers. */
export const batchOperations = {
  beginBatch,
  addBatchRows,
  finishBatch,
  giveUpBatch,
  showBatch,
  listBatches,
  ownedBatch,
  listOwnedBatches,
  storedAmong,
  cancelBatch,
  resumeBatch,
  claimBatches,
  renewBatches,
  freeBatches,
  pendingBatchRows,
  paidBatchMarks,
  saveBatchResults,
  completeSampleBatch,
  leaveBatch,
  readBatchRows,
  expiredBatches,
  removeBatchRows,
  removeBatch,
} satisfies Operations
export type BatchOperations = typeof batchOperations
