import type { Static, TSchema } from 'typebox'
import { keyOperations } from './accounts/keys.ts'
import { projectOperations } from './accounts/projects.ts'
import { signedInOperations, tokenOperations } from './accounts/tokens.ts'
import { batchOperations } from './batches/batches.ts'
import { callOperations } from './credits/calls.ts'
import { creditOperations } from './credits/credits.ts'
import { priceOperations } from './credits/prices.ts'
import { usageOperations } from './credits/usage.ts'
import { documentOf } from './document.ts'
import { auditOperations } from './operations/audit.ts'
import { backupOperations } from './operations/backups.ts'
import { exportListOperations } from './operations/exports.ts'
import { overviewOperations } from './operations/overview.ts'
import { providerOperations } from './operations/providers.ts'
import { scorecardOperations } from './operations/scorecard.ts'
import { settingOperations, workOperations } from './operations/settings.ts'
import { erasureOperations } from './privacy/erasure.ts'
import { exportOperations } from './privacy/export.ts'
import { purgeOperations, retentionOperations } from './privacy/retention.ts'
import { suppressionOperations } from './privacy/suppressions.ts'
import { lookupOperations } from './records/lookup.ts'
import { recordChangeOperations } from './records/record-changes.ts'
import { recordOperations } from './records/records.ts'
import { splitOperations } from './records/splits.ts'
import { watchOperations } from './records/watches.ts'
import { sessionOperations } from './sessions.ts'
import { webhookDeliveryOperations } from './webhooks/deliveries.ts'
import { webhookOperations } from './webhooks/webhooks.ts'

export { usageGroups, usagePeriods, UsageRow, usageRowsAtMost } from './credits/usage.ts'
export { Suppression } from './privacy/suppressions.ts'
export { labelPattern } from './schemas.ts'
export * from './operation.ts'
export type * from './accounts/keys.ts'
export type * from './accounts/projects.ts'
export type * from './batches/batches.ts'
export type * from './credits/calls.ts'
export type * from './credits/credits.ts'
export type * from './credits/prices.ts'
export type * from './operations/exports.ts'
export type * from './operations/overview.ts'
export type * from './operations/providers.ts'
export type * from './operations/scorecard.ts'
export type * from './records/records.ts'
export type * from './webhooks/webhooks.ts'

/** The operations of the admin API, by tag of the reference. */
const subjects = {
  session: {
    description: 'Signing in to the console.',
    operations: { ...sessionOperations, ...signedInOperations },
  },
  projects: { description: 'Projects and their environments.', operations: projectOperations },
  keys: { description: 'API keys of projects.', operations: keyOperations },
  credits: { description: 'Credits, the ledger behind them, and receipts.', operations: creditOperations },
  prices: {
    description: 'The price book in effect, and the earlier and later books.',
    operations: priceOperations,
  },
  calls: { description: 'The log of answered calls.', operations: callOperations },
  usage: { description: 'Calls and credits per period.', operations: usageOperations },
  overview: {
    description: 'Traffic, spending, providers and open problems on one page.',
    operations: overviewOperations,
  },
  exports: { description: 'Whole lists as files.', operations: exportListOperations },
  records: {
    description: 'What is stored about people and companies.',
    operations: {
      ...recordOperations,
      ...recordChangeOperations,
      ...splitOperations,
      ...erasureOperations,
      ...exportOperations,
      ...purgeOperations,
    },
  },
  lookup: { description: 'Lookups by operators. No environment pays for them.', operations: lookupOperations },
  watches: { description: 'Records that are refreshed at regular intervals.', operations: watchOperations },
  batches: {
    description: 'Whole files of lookups, paid by the environment of a key.',
    operations: batchOperations,
  },
  suppressions: {
    description: 'The suppression list: people and companies that are never served. It holds keyed hashes only.',
    operations: suppressionOperations,
  },
  retention: { description: 'How long data is kept.', operations: retentionOperations },
  backups: {
    description: 'Backups of the embedded store, and the restart of batches, watches and webhooks after a restore.',
    operations: { ...backupOperations, ...workOperations },
  },
  providers: {
    description: 'The data providers that records come from.',
    operations: { ...providerOperations, ...scorecardOperations },
  },
  tokens: { description: 'Admin tokens.', operations: tokenOperations },
  audit: { description: 'The audit log: which operator did what, and when.', operations: auditOperations },
  webhooks: {
    description: 'Endpoints that are notified of events, and every delivery to them.',
    operations: { ...webhookOperations, ...webhookDeliveryOperations },
  },
  settings: { description: 'The running configuration, and checks of the service.', operations: settingOperations },
}

type Subjects = typeof subjects
type Joined<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** All operations of the admin API by their ids. */
export type AdminOperations = Joined<Subjects[keyof Subjects]['operations']>
export const adminOperations = Object.assign(
  {},
  ...Object.values(subjects).map(({ operations }) => operations),
) as AdminOperations

export type AdminOperationId = keyof AdminOperations

/** The type of one part of a request or response; undefined if the row lacks it. */
type Part<Id extends AdminOperationId, Name extends string> =
  AdminOperations[Id] extends Record<Name, infer Schema extends TSchema> ? Static<Schema> : undefined

export type AdminParams<Id extends AdminOperationId> = Part<Id, 'params'>
export type AdminQuery<Id extends AdminOperationId> = Part<Id, 'query'>
export type AdminBody<Id extends AdminOperationId> = Part<Id, 'body'>
/** The JSON response of an operation. */
export type AdminAnswer<Id extends AdminOperationId> = Part<Id, 'response'>

/** The OpenAPI document of the admin API. */
export function adminDocument(version: string) {
  return documentOf(subjects, version)
}
