import type { Operations } from '../foundation/database/store.ts'
import { creditBalance, creditHistory, creditStanding } from './balances.ts'
import { logCalls } from './call-rows.ts'
import { callOperations } from './calls.ts'
import { adjustCredits, grantCredits } from './grants.ts'
import { paidAt } from './paid-record.ts'
import { receipt } from './receipt.ts'
import { pruneIdempotency, releaseHolds } from './release-holds.ts'
import { settleRows } from './settle.ts'
import { usageOperations } from './usage.ts'
import { verifyLedger } from './verify-ledger.ts'

/** All that can be asked of the ledger. */
export const creditOperations = {
  settle: settleRows,
  grantCredits,
  adjustCredits,
  creditBalance,
  creditStanding,
  creditHistory,
  releaseHolds,
  pruneIdempotency,
  verifyLedger,
  receipt,
  logCalls,
  paidAt,
  ...callOperations,
  ...usageOperations,
} satisfies Operations
export type CreditOperations = typeof creditOperations
