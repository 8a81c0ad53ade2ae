import { long, read, report, single, write } from '../database/operation.ts'
import type { AccountOperations } from '../accounts/operations.ts'
import type { AuditOperations } from '../audit/audit-operations.ts'
import type { NodeOperations } from '../cluster/node-operations.ts'
import type { CreditOperations } from '../credits/operations.ts'
import type { BackupOperations } from '../database/backup-operations.ts'
import type { InspectOperations } from '../database/inspect-operations.ts'
import type { Operations, Store } from '../database/store.ts'
import type { EventOperations } from '../events/operations.ts'
import type { CountedOperations } from '../providers/call-counts.ts'
import type { ProviderOperations } from '../providers/operations.ts'
import type { RecordOperations } from '../records/operations.ts'
import { resumeWork, stopWork, workStopped } from './backup/stopped-work.ts'
import { eraseBatchRows, findBatchRows } from './erasure/erase-batch-rows.ts'
import { eraseEntity } from './erasure/erase-entity.ts'
import { eraseEvents, findEventMentions } from './erasure/mentions/erase-event-mentions.ts'
import { eraseCalls, eraseReplays, findCalls, findReplays } from './erasure/erase-traces.ts'
import { eraseRecipients, notifyLateRecipients } from './erasure/notify-recipients.ts'
import { exportCalls, exportSubject } from './erasure/export-subject.ts'
import { planErasure } from './erasure/plan-erasure.ts'
import { redactPayload, redactVersion } from './erasure/mentions/redact-stored.ts'
import { scanMentions } from './erasure/mentions/scan-mentions.ts'
import { rewriteTablesLeft } from './erasure/rewrite-tables.ts'
import { checkpointLog, purgeResidue, scanResidue } from './erasure/sqlite-residue/deleted-bytes.ts'
import { notifyOfMerges, notifyOfSplits } from './merges/merge-notices.ts'
import { purgeProviderChunk } from './retention/purge-provider.ts'
import { retentionChunk } from './retention/retention-chunk.ts'
import { compareProviders, sharedRecords } from './scorecard/store/compare-providers.ts'
import { fillCounts } from './scorecard/store/fill-counts.ts'

/** Operations that change stored data over time. */
export const lifecycleOperations = {
  planErasure: read(planErasure),
  findCalls: report(findCalls, 'long'),
  eraseCalls: write(eraseCalls),
  eraseRecipients: write(eraseRecipients),
  findReplays: report(findReplays, 'long'),
  eraseReplays: write(eraseReplays),
  findBatchRows: report(findBatchRows, 'long'),
  eraseBatchRows: write(eraseBatchRows),
  findEventMentions: report(findEventMentions, 'long'),
  eraseEvents: write(eraseEvents),
  scanMentions: report(scanMentions, 'long'),
  redactPayload: write(redactPayload),
  redactVersion: write(redactVersion),
  eraseEntity: write(eraseEntity),
  checkpointLog: long(checkpointLog),
  scanResidue: long(scanResidue),
  purgeResidue: long(purgeResidue),
  rewriteTablesLeft: long(rewriteTablesLeft),
  exportSubject: report(exportSubject),
  exportCalls: report(exportCalls),
  retentionChunk: write(retentionChunk),
  purgeProviderChunk: write(purgeProviderChunk),
  fillCounts: report(fillCounts),
  sharedRecords: report(sharedRecords),
  compareProviders: report(compareProviders),
  notifyOfMerges: write(notifyOfMerges),
  notifyLateRecipients: write(notifyLateRecipients),
  notifyOfSplits: write(notifyOfSplits),
  stopWork: single(stopWork),
  resumeWork: write(resumeWork),
  workStopped: read(workStopped),
} satisfies Operations
export type LifecycleOperations = typeof lifecycleOperations

/** Every store operation that this folder and the subjects below can use. */
export type WholeLifecycleStore = Store<
  LifecycleOperations &
    RecordOperations &
    CreditOperations &
    ProviderOperations &
    EventOperations &
    AuditOperations &
    NodeOperations &
    BackupOperations &
    InspectOperations &
    Pick<AccountOperations, 'listRoutes'>
>

/** The four operations that change the suppression list. */
export type SuppressionChanges = Pick<
  WholeLifecycleStore,
  'addSuppressions' | 'importSuppressions' | 'removeSuppressions' | 'eraseEntity'
>

/** The same without what `SuppressionList` and `CallCounts` own: only they use these operations. */
export type LifecycleStore = Omit<WholeLifecycleStore, keyof SuppressionChanges | keyof CountedOperations>
