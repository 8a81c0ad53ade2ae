import { long, read, report, single, write, type Operations, type Subject } from '../../database/engine/operation.ts'
import type { ProjectStore } from '../../accounts/project-operations.ts'
import type { AuditStore } from '../../audit/audit-operations.ts'
import type { NodeStore, SettingStore } from '../../cluster/node-operations.ts'
import type { CreditStore, GrantStore, PriceStore, UsageStore } from '../../credits/operations.ts'
import type { StatementStore } from '../../credits/statements/statement-operations.ts'
import type { DatabaseStore } from '../../database/database-operations.ts'
import type { EventStore } from '../../events/operations.ts'
import type { WebhookStore } from '../../events/webhooks/operations.ts'
import type { ProviderStore } from '../../providers/operations.ts'
import {
  suppressionChanges,
  type EntityStore,
  type RecordStore,
  type SuppressionStore,
} from '../../records/operations.ts'
import type { LeaseStore } from '../../work/leases.ts'
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

/** Erasure of a person or company, and the export of what is stored about one. */
export const erasureOperations = {
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
  exportSubject: report(exportSubject),
  exportCalls: report(exportCalls),
} satisfies Operations
export type ErasureStore = Subject<typeof erasureOperations>

/** Changes of the suppression list: only `SuppressionList` uses them. */
export const suppressionChangeOperations = {
  ...suppressionChanges,
  eraseEntity: write(eraseEntity),
} satisfies Operations
export type SuppressionChangeStore = Subject<typeof suppressionChangeOperations>

/** Deleted bytes in the files of the store. */
export const residueOperations = {
  checkpointLog: long(checkpointLog),
  scanResidue: long(scanResidue),
  purgeResidue: long(purgeResidue),
  bytesLeft: read(bytesLeft),
  takeRewrite: single(takeRewrite),
  rewriteTables: long(rewriteResidue),
  endRewrites: write(endResidue),
  rewritesOf: read(rewritesOf),
} satisfies Operations
export type ResidueStore = Subject<typeof residueOperations>

/** Retention, notices of merges, and work that a restore stopped. */
export const upkeepOperations = {
  retentionChunk: write(retentionChunk),
  purgeProviderChunk: write(purgeProviderChunk),
  notifyOfMerges: long(notifyOfMerges),
  stopWork: single(stopWork),
  resumeWork: write(resumeWork),
  workStopped: read(workStopped),
} satisfies Operations
export type UpkeepStore = Subject<typeof upkeepOperations>

/** Providers compared by their records. */
export const scorecardOperations = {
  fillCounts: report(fillCounts),
  sharedRecords: report(sharedRecords),
  compareProviders: report(compareProviders),
} satisfies Operations
export type ScorecardStore = Subject<typeof scorecardOperations>

/** Every subject that this folder can use, without those that `SuppressionList` and `CallCounts` own. */
export interface LifecycleStore {
  erasure: ErasureStore
  residue: ResidueStore
  upkeep: UpkeepStore
  scorecard: ScorecardStore
  records: RecordStore
  entities: EntityStore
  suppressions: SuppressionStore
  credits: CreditStore
  grants: GrantStore
  usage: UsageStore
  prices: PriceStore
  statements: StatementStore
  providers: ProviderStore
  events: EventStore
  webhooks: WebhookStore
  audit: AuditStore
  nodes: NodeStore
  settings: SettingStore
  database: DatabaseStore
  projects: Pick<ProjectStore, 'listRoutes'>
  leases: Pick<LeaseStore, 'endLease'>
}
