import { read, report, shared, write, type Operations, type Subject } from '../database/engine/operation.ts'
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

/** Records as lookups read and save them. */
export const recordOperations = {
  readRecord: read(readRecord, 'quick'),
  readFacts: read(readFacts, 'quick'),
  readVersion: read(readVersion, 'quick'),
  companiesBySite: read(companiesBySite, 'quick'),
  findCompanyKeys: read(findCompanyKeys, 'quick'),
  companyPage: read(companyPage, 'quick'),
  findContacts: read(findContacts, 'quick'),
  foldEntity: shared('with the next', foldEntity, 'quick'),
  noteFold: shared('with the next', noteFold, 'quick'),
  serveVersion: shared('with the next', serveVersion, 'quick'),
  saveFetch: shared('with the next', saveFetch, 'quick'),
  saveMiss: shared('synced', saveMiss, 'quick'),
  noteHiddenMiss: shared('synced', noteHiddenMiss, 'quick'),
  saveFault: shared('with the next', saveFault, 'quick'),
  saveCallDetails: shared('with the next', saveCallDetails, 'quick'),
  callDetails: read(callDetails),
  markUsed: shared('synced', markUsed),
  paidVersions: read(paidVersions),
  versionBody: read(versionBody),
} satisfies Operations
export type RecordStore = Subject<typeof recordOperations>

/** People and companies as operators find, import, rebuild and split them. */
export const entityOperations = {
  searchEntities: report(searchEntities),
  showEntity: read(showEntity),
  entityNames: report(entityNames),
  auditSubjects: read(auditSubjects),
  history: read(history),
  rawPayload: read(rawPayload),
  countVersions: report(countVersions),
  importRecords: write(importRecords),
  reprojectBatch: report(reprojectBatch),
  replaceProjections: write(replaceProjections),
  findSuspects: report(findSuspects),
  suspectsAmong: report(suspectsAmong),
  splitMaterial: report(splitMaterial),
  splitEntity: write(splitEntity),
  fillMentions: write(fillMentions),
} satisfies Operations
export type EntityStore = Subject<typeof entityOperations>

/** The suppression list. */
export const suppressionOperations = {
  isSuppressed: read(isSuppressed),
  suppressionsOfSubjects: read(suppressionsOfSubjects),
  listSuppressions: read(listSuppressions),
  exportSuppressions: report(listSuppressions),
  findSuppressed: read(findSuppressed),
  findSuppressedNames: read(findSuppressedNames),
} satisfies Operations
export type SuppressionStore = Subject<typeof suppressionOperations>

/** Changes of the suppression list. */
export const suppressionChanges = {
  addSuppressions: write(addSuppressions),
  removeSuppressions: write(removeSuppressions),
  importSuppressions: write(importSuppressions),
} satisfies Operations
