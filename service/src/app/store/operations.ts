import { accountOperations } from '../../accounts/operations.ts'
import { creditOperations } from '../../credits/operations.ts'
import { nodeOperations } from '../../cluster/node-operations.ts'
import { eventOperations } from '../../events/operations.ts'
import { auditOperations } from '../../audit/audit-operations.ts'
import { backupOperations } from '../../database/backup-operations.ts'
import { inspectOperations } from '../../database/inspect-operations.ts'
import { batchOperations } from '../../batches/store/batch-operations.ts'
import { lifecycleOperations } from '../../lifecycle/operations.ts'
import { recordOperations } from '../../records/operations.ts'
import { watchOperations } from '../../watches/store/operations.ts'
import { countCallsAs, providerOperations, type CallCount } from '../../providers/operations.ts'
import type { Database } from '../../database/dialect.ts'
import type { Durability } from '../../database/sql/group-commit.ts'

/** Every operation on the store, of all subjects. The store's thread loads this module by its address. */
export const operations = {
  ...accountOperations,
  ...creditOperations,
  ...recordOperations,
  ...lifecycleOperations,
  ...watchOperations,
  ...batchOperations,
  ...providerOperations,
  ...auditOperations,
  ...eventOperations,
  ...backupOperations,
  ...inspectOperations,
  ...nodeOperations,
  saveFetch: withCounts(recordOperations.saveFetch, 'with the next'),
  saveMiss: withCounts(recordOperations.saveMiss, 'synced'),
  saveFault: withCounts(recordOperations.saveFault, 'with the next'),
}

/** Counts calls of providers with what one of them brought: on the embedded engine in the same commit. */
function withCounts<Args, Result>(save: (database: Database, args: Args) => Promise<Result>, durability: Durability) {
  const count = countCallsAs(durability)
  return async (database: Database, args: Args & { counts?: readonly CallCount[] }): Promise<Result> => {
    const { counts = [] } = args
    const counted = counts.length > 0 ? count(database, { counts }) : null
    const [saved] = await Promise.all([save(database, args), counted])
    return saved
  }
}

/** Those that stand between a caller and the answer. On PostgreSQL they do not queue behind what operators and jobs do. */
export const quickOperations: ReadonlySet<string> = new Set<keyof typeof operations>([
  'registerTag',
  'findKey',
  'touchKeys',
  'findToken',
  'findSession',
  'settle',
  'grantCredits',
  'adjustCredits',
  'remainingCredits',
  'logCalls',
  'saveCallDetails',
  'paidAt',
  'readRecord',
  'readVersion',
  'companyPage',
  'findCompanyKeys',
  'companiesBySite',
  'extendHold',
  'keySpending',
  'saveFetch',
  'saveMiss',
  'saveFault',
  'noteHiddenMiss',
  'spendBudget',
  'peekBudget',
  'countCalls',
  'reportRates',
  'readRateReports',
  'beat',
  'raiseAlarm',
  'endNode',
  'ping',
])
