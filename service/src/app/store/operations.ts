import { keyOperations } from '../../accounts/key-operations.ts'
import { projectOperations } from '../../accounts/project-operations.ts'
import { sessionOperations } from '../../accounts/session-operations.ts'
import { tokenOperations } from '../../accounts/token-operations.ts'
import { auditOperations } from '../../audit/audit-operations.ts'
import { batchOperations } from '../../batches/store/batch-operations.ts'
import { nodeOperations, settingOperations } from '../../cluster/node-operations.ts'
import { creditOperations, grantOperations, priceOperations, usageOperations } from '../../credits/operations.ts'
import { statementOperations } from '../../credits/statements/statement-operations.ts'
import { databaseOperations } from '../../database/database-operations.ts'
import type { Subjects } from '../../database/engine/operation.ts'
import { eventOperations } from '../../events/operations.ts'
import { webhookOperations } from '../../events/webhooks/operations.ts'
import { exportOperations } from '../../lifecycle/exports/export-operations.ts'
import {
  erasureOperations,
  residueOperations,
  scorecardOperations,
  suppressionChangeOperations,
  upkeepOperations,
} from '../../lifecycle/store/operations.ts'
import { lookupOperations } from '../../lookup/payment/save-and-settle.ts'
import { callCountOperations, providerOperations } from '../../providers/operations.ts'
import { entityOperations, recordOperations, suppressionOperations } from '../../records/operations.ts'
import { watchOperations } from '../../watches/store/operations.ts'
import { leaseOperations } from '../../work/leases.ts'

/** The store by subject. Its thread loads this module by its URL. */
export const operations = {
  projects: projectOperations,
  keys: keyOperations,
  tokens: tokenOperations,
  sessions: sessionOperations,
  credits: creditOperations,
  grants: grantOperations,
  usage: usageOperations,
  prices: priceOperations,
  statements: statementOperations,
  lookups: lookupOperations,
  records: recordOperations,
  entities: entityOperations,
  suppressions: suppressionOperations,
  suppressionChanges: suppressionChangeOperations,
  erasure: erasureOperations,
  residue: residueOperations,
  upkeep: upkeepOperations,
  scorecard: scorecardOperations,
  batches: batchOperations,
  watches: watchOperations,
  exports: exportOperations,
  leases: leaseOperations,
  providers: providerOperations,
  callCounts: callCountOperations,
  events: eventOperations,
  webhooks: webhookOperations,
  audit: auditOperations,
  nodes: nodeOperations,
  settings: settingOperations,
  database: databaseOperations,
} satisfies Subjects
