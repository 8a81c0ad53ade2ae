import { callDetails, saveCallDetails } from './call-details.ts'
import { rawPayload } from './versions/archive.ts'
import { eraseBatchRows } from './batches/erase-batch-rows.ts'
import { eraseEntity } from './erasure/erase-entity.ts'
import { eraseEventMentions } from './erasure/erase-event-mentions.ts'
import { eraseCalls, eraseReplays } from './erasure/erase-traces.ts'
import { exportCalls, exportSubject } from './erasure/export-subject.ts'
import { companiesBySite } from './entities/companies-by-site.ts'
import { findCompanyKeys } from './entities/find-company-keys.ts'
import { auditSubjects, entityNames } from './entities/entity-names.ts'
import { searchEntities } from './entities/search-entities.ts'
import { findSuppressed } from './suppression/find-suppressed.ts'
import { findSuppressedNames } from './suppression/find-suppressed-names.ts'
import { countVersions, history, versionBody } from './versions/history.ts'
import { importRecords } from './changes/import-records.ts'
import { markUsed } from './entities/mark-used.ts'
import { purgeProviderChunk } from './retention/purge-provider.ts'
import { planErasure } from './erasure/plan-erasure.ts'
import { foldLog, purgeResidue, scanResidue } from './erasure/sqlite-residue/purge-residue.ts'
import { readRecord, readVersion } from './versions/read-record.ts'
import { redactPayload, redactVersion } from './erasure/redact-stored.ts'
import { replaceProjections, reprojectBatch } from './changes/reproject.ts'
import { retentionChunk } from './retention/retention-chunk.ts'
import { saveFetch } from './versions/save-fetch.ts'
import { compareProviders } from './scorecard/compare-providers.ts'
import { fillCounts } from './scorecard/fill-counts.ts'
import { sharedRecords } from './scorecard/shared-records.ts'
import { saveFault, saveMiss } from './versions/save-miss.ts'
import { scanMentions, scanVersionMentions } from './erasure/scan-mentions.ts'
import { showEntity } from './entities/show-entity.ts'
import {
  addSuppressions,
  importSuppressions,
  isSuppressed,
  listSuppressions,
  removeSuppressions,
} from './suppression/suppressions.ts'

/** Every operation on records that the store offers. */
export const recordOperations = {
  readRecord,
  companiesBySite,
  readVersion,
  saveFetch,
  saveMiss,
  saveFault,
  history,
  versionBody,
  findCompanyKeys,
  searchEntities,
  showEntity,
  entityNames,
  auditSubjects,
  rawPayload,
  markUsed,
  saveCallDetails,
  callDetails,
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
  eraseBatchRows,
  eraseEventMentions,
  scanMentions,
  scanVersionMentions,
  redactPayload,
  redactVersion,
  eraseEntity,
  foldLog,
  scanResidue,
  purgeResidue,
  exportSubject,
  exportCalls,
  retentionChunk,
  purgeProviderChunk,
  fillCounts,
  sharedRecords,
  compareProviders,
}
export type RecordOperations = typeof recordOperations
