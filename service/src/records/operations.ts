import { read, report, shared, write } from '../database/engine/operation.ts'
import { callDetails, saveCallDetails } from './call-details.ts'
import { rawPayload } from './rows/archive.ts'
import { findContacts } from './contact-index/contact-rows.ts'
import { companiesBySite, companyPage, findCompanyKeys } from './rows/company-pages.ts'
import { auditSubjects, entityNames, showEntity } from './entities/show-entity.ts'
import { searchEntities } from './entities/search-entities.ts'
import { findSuppressed, findSuppressedNames } from './find-suppressed-names.ts'
import { countVersions, history, versionBody, paidVersions } from './versions/history.ts'
import { importRecords } from './saving/import-records.ts'
import { fillMentions } from './mentions/mention-rows.ts'
import { foldEntity, noteFold } from './versions/fold-rows.ts'
import { readFacts, readRecord, readVersion, markUsed } from './versions/read-record.ts'
import { replaceProjections, reprojectBatch } from './saving/reproject.ts'
import { saveFetch } from './saving/save-fetch.ts'
import { serveVersion } from './rows/add-version.ts'
import { saveFault, saveMiss } from './saving/save-miss.ts'
import { findSuspects, suspectsAmong } from './splits/find-suspects.ts'
import { splitEntity, splitMaterial } from './splits/split-entity.ts'
import {
  noteHiddenMiss,
  addSuppressions,
  importSuppressions,
  isSuppressed,
  suppressionsOfSubjects,
  listSuppressions,
  removeSuppressions,
} from './suppression/suppressions.ts'

/** Every record operation of the store. */
export const recordOperations = {
  readRecord: read(readRecord, 'quick'),
  readFacts: read(readFacts, 'quick'),
  companiesBySite: read(companiesBySite, 'quick'),
  readVersion: read(readVersion, 'quick'),
  foldEntity: shared('with the next', foldEntity, 'quick'),
  serveVersion: shared('with the next', serveVersion, 'quick'),
  noteFold: shared('with the next', noteFold, 'quick'),
  saveFetch: shared('with the next', saveFetch, 'quick'),
  saveMiss: shared('synced', saveMiss, 'quick'),
  saveFault: shared('with the next', saveFault, 'quick'),
  history: read(history),
  versionBody: read(versionBody),
  paidVersions: read(paidVersions),
  findCompanyKeys: read(findCompanyKeys, 'quick'),
  companyPage: read(companyPage, 'quick'),
  findContacts: read(findContacts, 'quick'),
  searchEntities: report(searchEntities),
  showEntity: read(showEntity),
  entityNames: report(entityNames),
  auditSubjects: read(auditSubjects),
  rawPayload: read(rawPayload),
  markUsed: shared('synced', markUsed),
  saveCallDetails: shared('with the next', saveCallDetails, 'quick'),
  callDetails: read(callDetails),
  countVersions: report(countVersions),
  reprojectBatch: report(reprojectBatch),
  replaceProjections: write(replaceProjections),
  importRecords: write(importRecords),
  findSuspects: report(findSuspects),
  suspectsAmong: report(suspectsAmong),
  splitMaterial: report(splitMaterial),
  splitEntity: write(splitEntity),
  isSuppressed: read(isSuppressed),
  suppressionsOfSubjects: read(suppressionsOfSubjects),
  noteHiddenMiss: shared('synced', noteHiddenMiss, 'quick'),
  addSuppressions: write(addSuppressions),
  removeSuppressions: write(removeSuppressions),
  listSuppressions: read(listSuppressions),
  exportSuppressions: report(listSuppressions),
  importSuppressions: write(importSuppressions),
  findSuppressed: read(findSuppressed),
  findSuppressedNames: read(findSuppressedNames),
  fillMentions: write(fillMentions),
}
export type RecordOperations = typeof recordOperations
