import type { AuditOperations } from '../audit/audit-operations.ts'
import type { NodeOperations } from '../cluster/node-operations.ts'
import type { CreditOperations } from '../credits/operations.ts'
import type { BackupOperations } from '../database/backup-operations.ts'
import type { InspectOperations } from '../database/inspect-operations.ts'
import type { Operations, Store } from '../database/store.ts'
import type { EventOperations } from '../events/operations.ts'
import type { ProviderOperations } from '../providers/operations.ts'
import type { RecordOperations } from '../records/operations.ts'
import { resumeWork, stopWork, workStopped } from './backup/stopped-work.ts'
import { eraseBatchRows } from './erasure/erase-batch-rows.ts'
import { eraseEntity } from './erasure/erase-entity.ts'
import { eraseEventMentions } from './erasure/erase-event-mentions.ts'
import { eraseCalls, eraseReplays } from './erasure/erase-traces.ts'
import { exportCalls, exportSubject } from './erasure/export-subject.ts'
import { planErasure } from './erasure/plan-erasure.ts'
import { redactPayload, redactVersion } from './erasure/redact-stored.ts'
import { scanMentions, scanVersionMentions } from './erasure/scan-mentions.ts'
import { rewriteTablesLeft } from './erasure/rewrite-tables.ts'
import { checkpointLog, purgeResidue, scanResidue } from './erasure/sqlite-residue/purge-residue.ts'
import { notifyOfMerges, openMerges, servedAccounts } from './merges/merge-notices.ts'
import { purgeProviderChunk } from './retention/purge-provider.ts'
import { retentionChunk } from './retention/retention-chunk.ts'
import { compareProviders } from './scorecard/store/compare-providers.ts'
import { fillCounts } from './scorecard/store/fill-counts.ts'
import { sharedRecords } from './scorecard/store/shared-records.ts'

/** What happens to stored data over time, as operations of the store. */
export const lifecycleOperations = {
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
  checkpointLog,
  scanResidue,
  purgeResidue,
  rewriteTablesLeft,
  exportSubject,
  exportCalls,
  retentionChunk,
  purgeProviderChunk,
  fillCounts,
  sharedRecords,
  compareProviders,
  openMerges,
  servedAccounts,
  notifyOfMerges,
  stopWork,
  resumeWork,
  workStopped,
} satisfies Operations
export type LifecycleOperations = typeof lifecycleOperations

/** The store as this folder sees it: its own operations, and those of the subjects below. */
export type LifecycleStore = Store<
  LifecycleOperations &
    RecordOperations &
    CreditOperations &
    ProviderOperations &
    EventOperations &
    AuditOperations &
    NodeOperations &
    BackupOperations &
    InspectOperations
>
