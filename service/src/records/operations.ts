import { callDetails, saveCallDetails } from './call-details.ts'
import { rawPayload } from './versions/archive.ts'
import { findContacts } from './contact-index/contact-rows.ts'
import { companiesBySite } from './entities/companies-by-site.ts'
import { companyPage } from './entities/company-pages.ts'
import { findCompanyKeys } from './entities/find-company-keys.ts'
import { auditSubjects, entityNames } from './entities/entity-names.ts'
import { searchEntities } from './entities/search-entities.ts'
import { findSuppressed } from './suppression/find-suppressed.ts'
import { findSuppressedNames } from './suppression/find-suppressed-names.ts'
import { countVersions, history, versionBody } from './versions/history.ts'
import { importRecords } from './changes/import-records.ts'
import { markUsed } from './entities/mark-used.ts'
import { readRecord, readVersion } from './versions/read-record.ts'
import { replaceProjections, reprojectBatch } from './changes/reproject.ts'
import { saveFetch } from './versions/save-fetch.ts'
import { saveFault, saveMiss } from './versions/save-miss.ts'
import { showEntity } from './entities/show-entity.ts'
import { noteHiddenMiss } from './suppression/hidden-misses.ts'
import {
  addSuppressions,
  importSuppressions,
  isSuppressed,
  suppressionsOfSubjects,
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
  companyPage,
  findContacts,
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
  suppressionsOfSubjects,
  noteHiddenMiss,
  addSuppressions,
  removeSuppressions,
  listSuppressions,
  exportSuppressions: listSuppressions,
  importSuppressions,
  findSuppressed,
  findSuppressedNames,
}
export type RecordOperations = typeof recordOperations
