import { long, read, report, single, write, type Operations, type Store } from '../../database/engine/operation.ts'
import type { AccountOperations } from '../../accounts/operations.ts'
import type { AuditOperations } from '../../audit/audit-operations.ts'
import type { NodeOperations } from '../../cluster/node-operations.ts'
import type { CreditOperations } from '../../credits/operations.ts'
import type { BackupOperations } from '../../database/backup-operations.ts'
import type { InspectOperations } from '../../database/inspect-operations.ts'
import type { EventOperations } from '../../events/operations.ts'
import type { CountedOperations } from '../../providers/call-counts.ts'
import type { ProviderOperations } from '../../providers/operations.ts'
import type { RecordOperations } from '../../records/operations.ts'
import type { LeaseOperations } from '../../work/leases.ts'
import { resumeWork, stopWork, workStopped } from './stopped-work.ts'
import { eraseBatchRows, findBatchRows } from './erasure/erase-batch-rows.ts'
import { eraseEntity } from './erasure/erase-entity.ts'
import { eraseEvents, findEventMentions } from './erasure/mentions/erase-event-mentions.ts'
import { eraseCalls, eraseReplays, findCalls, findReplays } from './erasure/erase-traces.ts'
import { eraseRecipients } from './erasure/notify-recipients.ts'
import { exportCalls, exportSubject } from './erasure/export-subject.ts'
import { planErasure } from './erasure/plan-erasure.ts'
import { redactStored } from './erasure/mentions/redact-stored.ts'
import { scanMentions } from './erasure/mentions/scan-mentions.ts'
import {
  bytesLeft,
  checkpointLog,
  endResidue,
  leavingBytes,
  purgeResidue,
  rewriteResidue,
  scanResidue,
} from '../../database/residue.ts'
import { rewritesOf, takeRewrite } from './erasure/rewrite-operations.ts'
import { notifyOfMerges } from './merge-notices.ts'
import { purgeProviderChunk } from './retention/purge-provider.ts'
import { retentionChunk } from './retention/retention-chunk.ts'
import { compareProviders, sharedRecords } from './compare-providers.ts'
import { fillCounts } from './fill-counts.ts'

/** Operations that change stored data over time. */
export const lifecycleOperations = {
  planErasure: read(planErasure),
  findCalls: report(findCalls, 'long'),
  eraseCalls: write(leavingBytes(eraseCalls)),
  eraseRecipients: write(leavingBytes(eraseRecipients)),
  findReplays: report(findReplays, 'long'),
  eraseReplays: write(leavingBytes(eraseReplays)),
  findBatchRows: report(findBatchRows, 'long'),
  eraseBatchRows: write(leavingBytes(eraseBatchRows)),
  findEventMentions: report(findEventMentions, 'long'),
  eraseEvents: write(leavingBytes(eraseEvents)),
  scanMentions: report(scanMentions, 'long'),
  redactStored: write(leavingBytes(redactStored)),
  eraseEntity: write(eraseEntity),
  checkpointLog: long(checkpointLog),
  scanResidue: long(scanResidue),
  purgeResidue: long(purgeResidue),
  bytesLeft: read(bytesLeft),
  takeRewrite: single(takeRewrite),
  rewriteTables: long(rewriteResidue),
  endRewrites: write(endResidue),
  rewritesOf: read(rewritesOf),
  exportSubject: report(exportSubject),
  exportCalls: report(exportCalls),
  retentionChunk: write(retentionChunk),
  purgeProviderChunk: write(purgeProviderChunk),
  fillCounts: report(fillCounts),
  sharedRecords: report(sharedRecords),
  compareProviders: report(compareProviders),
  notifyOfMerges: long(notifyOfMerges),
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
    Pick<AccountOperations, 'listRoutes'> &
    Pick<LeaseOperations, 'endLease'>
>

/** The four operations that change the suppression list. */
export type SuppressionChanges = Pick<
  WholeLifecycleStore,
  'addSuppressions' | 'importSuppressions' | 'removeSuppressions' | 'eraseEntity'
>

/** The same without what `SuppressionList` and `CallCounts` own: only they use these operations. */
export type LifecycleStore = Omit<WholeLifecycleStore, keyof SuppressionChanges | keyof CountedOperations>
