import { long, read, report, shared, single, write, type Operations } from '../database/engine/operation.ts'
import { creditBalance, keySpending, paidAt, remainingCredits, creditGauges } from './store/balances.ts'
import { logCalls, registerTag } from './store/call-rows.ts'
import { countDays, countDaysAhead, setBudget, readAlerts, setAlerts } from './grants/budgets.ts'
import { callOperations } from './reports/calls.ts'
import { adjustCredits, grantCredits } from './grants/grants.ts'
import { recurringOperations } from './grants/recurring-grants.ts'
import { knownTime } from './grants/known-time.ts'
import { creditHistory } from './reports/history.ts'
import { limitsReached, recentFailures } from './reports/limits-reached.ts'
import { pricePreview } from './reports/price-preview.ts'
import { receipt } from './reports/receipt.ts'
import { extendHold, pruneIdempotency, releaseHolds } from './store/release-holds.ts'
import { settleSent } from './store/settle.ts'
import { sharingOf } from './store/settlement-wire.ts'
import { tagsLike } from './reports/tags-like.ts'
import { usageOperations } from './reports/usage.ts'
import { sumDay } from './store/sum-day.ts'
import { dayToSum, forgetSums } from '../database/sql/summed-days.ts'
import { verifyNewestEntries, verifyLedger } from './store/verify-ledger.ts'
import { statementOperations } from './statements/statement-operations.ts'
import { priceBookOperations } from './prices/stored-price-books.ts'

/** All operations of the ledger. */
export const creditOperations = {
  settle: shared(sharingOf, settleSent, 'quick'),
  grantCredits: write(grantCredits, 'quick'),
  adjustCredits: write(adjustCredits, 'quick'),
  setBudget: write(setBudget),
  setAlerts: write(setAlerts),
  readAlerts: read(readAlerts),
  countDays: write(countDays),
  countDaysAhead: write(countDaysAhead),
  knownTime: read(knownTime),
  creditBalance: read(creditBalance),
  remainingCredits: read(remainingCredits, 'quick'),
  keySpending: read(keySpending, 'quick'),
  creditHistory: report(creditHistory),
  releaseHolds: long(releaseHolds),
  extendHold: single(extendHold, 'quick'),
  pruneIdempotency: single(pruneIdempotency),
  verifyLedger: report(verifyLedger, 'long'),
  verifyNewestEntries: report(verifyNewestEntries),
  creditGauges: read(creditGauges),
  receipt: read(receipt),
  pricePreview: report(pricePreview),
  limitsReached: report(limitsReached),
  recentFailures: report(recentFailures),
  tagsLike: report(tagsLike, 'short'),
  logCalls: shared('synced', logCalls, 'quick'),
  paidAt: read(paidAt, 'quick'),
  registerTag: write(registerTag, 'quick'),
  sumDay: long(sumDay),
  dayToSum: read(dayToSum),
  forgetSums: write(forgetSums),
  ...callOperations,
  ...usageOperations,
  ...priceBookOperations,
  ...recurringOperations,
  ...statementOperations,
} satisfies Operations
export type CreditOperations = typeof creditOperations
