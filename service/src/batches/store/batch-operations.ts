import type { Operations } from '../../database/store.ts'
import { readBatchRows } from './batch-results.ts'
import { claimBatches, freeBatches, renewBatches } from './claim-batches.ts'
import { completeSampleBatch, failForgottenBatches, leaveBatch } from './end-batches.ts'
import { listOwnedBatches, ownedBatch } from './operator-batches.ts'
import { expiredBatches, giveUpBatch, removeBatch, removeBatchRows } from './remove-batches.ts'
import { erasedBatchRows, paidBatchRequests, pendingBatchRows, saveBatchResults } from './run-batches.ts'
import { cancelBatch, listBatches, resumeBatch, showBatch } from './show-batch.ts'
import { storedAmong } from './stored-among.ts'
import { addBatchRows, beginBatch, finishBatch, renewUpload } from './submit-batch.ts'

/** Every operation on batches that the store offers. */
export const batchOperations = {
  beginBatch,
  addBatchRows,
  finishBatch,
  renewUpload,
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
  paidBatchRequests,
  erasedBatchRows,
  saveBatchResults,
  completeSampleBatch,
  leaveBatch,
  failForgottenBatches,
  readBatchRows,
  expiredBatches,
  removeBatchRows,
  removeBatch,
} satisfies Operations
export type BatchOperations = typeof batchOperations
