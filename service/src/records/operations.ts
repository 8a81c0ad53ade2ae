import { rawPayload } from './archive.ts'
import { countVersions } from './count-versions.ts'
import { eraseEntity } from './erase-entity.ts'
import { eraseCalls, eraseReplays } from './erase-traces.ts'
import { exportCalls, exportSubject } from './export-subject.ts'
import { findEntities } from './find-entities.ts'
import { findSuppressed } from './find-suppressed.ts'
import { findSuppressedNames } from './find-suppressed-names.ts'
import { history, versionBody } from './history.ts'
import { importRecords } from './import-records.ts'
import { markUsed } from './mark-used.ts'
import { planErasure } from './plan-erasure.ts'
import { foldLog, purgeFreed, scanResidue } from './purge-freed.ts'
import { recall, recallVersion } from './recall.ts'
import { redactPayload, redactVersion } from './redact-stored.ts'
import { replaceProjections, reprojectBatch } from './reproject.ts'
import { retentionChunk } from './retention-chunk.ts'
import { saveFetch } from './save-fetch.ts'
import { saveFault, saveMiss } from './save-miss.ts'
import { scanMentions, scanVersionMentions } from './scan-mentions.ts'
import { showEntity } from './show-entity.ts'
import {
  addSuppressions,
  importSuppressions,
  isSuppressed,
  listSuppressions,
  removeSuppressions,
} from './suppressions.ts'

/** Everything this room does in the store. */
export const recordOperations = {
  recall,
  recallVersion,
  saveFetch,
  saveMiss,
  saveFault,
  history,
  versionBody,
  findEntities,
  showEntity,
  rawPayload,
  markUsed,
  countVersions,
  reprojectBatch,
  replaceProjections,
  importRecords,
  isSuppressed,
  addSuppressions,
  removeSuppressions,
  listSuppressions,
  exportSuppressions: listSuppressions,
  importSuppressions,
  findSuppressed,
  findSuppressedNames,
  planErasure,
  eraseCalls,
  eraseReplays,
  scanMentions,
  scanVersionMentions,
  redactPayload,
  redactVersion,
  eraseEntity,
  foldLog,
  scanResidue,
  purgeFreed,
  exportSubject,
  exportCalls,
  retentionChunk,
}
export type RecordOperations = typeof recordOperations
