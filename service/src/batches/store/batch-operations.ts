import { long, read, report, shared, single, write } from '../../database/operation.ts'
import type { Operations } from '../../database/store.ts'
import { readBatchRows } from './batch-results.ts'
import { claimBatches, freeBatches, renewBatches } from './claim-batches.ts'
import { completeSampleBatch, failForgottenBatches, leaveBatch } from './end-batches.ts'
import { listOwnedBatches, ownedBatch } from './operator-batches.ts'
import { expiredBatches, giveUpBatch, removeBatch, removeBatchRows } from './remove-batches.ts'
import { erasedBatchRows, paidBatchRequests, pendingBatchRows } from './pending-rows.ts'
import { saveBatchResults } from './run-batches.ts'
import { cancelBatch, listBatches, resumeBatch, showBatch } from './show-batch.ts'
import { storedAmong } from './stored-among.ts'
import { addBatchRows, keyedBatchRows, setSubjects } from './batch-rows.ts'
import { unfoundRows } from './unfound-rows.ts'
import { beginBatch, finishBatch, renewUpload } from './submit-batch.ts'

/** Every batch operation of the store. */
export const batchOperations = {
  beginBatch: write(beginBatch),
  addBatchRows: shared('synced', addBatchRows),
  setSubjects: write(setSubjects),
  keyedBatchRows: read(keyedBatchRows),
  finishBatch: long(finishBatch),
  renewUpload: single(renewUpload),
  giveUpBatch: single(giveUpBatch),
  showBatch: read(showBatch),
  listBatches: report(listBatches, 'short'),
  ownedBatch: read(ownedBatch),
  listOwnedBatches: report(listOwnedBatches),
  storedAmong: read(storedAmong),
  cancelBatch: write(cancelBatch),
  resumeBatch: write(resumeBatch),
  claimBatches: long(claimBatches),
  renewBatches: single(renewBatches),
  freeBatches: single(freeBatches),
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
export type BatchOperations = typeof batchOperations
