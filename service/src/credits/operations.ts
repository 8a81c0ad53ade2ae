import {
  long,
  read,
  report,
  shared,
  single,
  write,
  type Operations,
  type Subject,
} from '../database/engine/operation.ts'
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
import { countUsage } from './reports/usage.ts'
import { rankUsage } from './reports/usage-top.ts'
import { sumDay } from './store/sum-day.ts'
import { dayToSum, forgetSums } from '../database/sql/summed-days.ts'
import { verifyNewestEntries, verifyLedger } from './store/verify-ledger.ts'
import { priceBookOperations } from './prices/stored-price-books.ts'

/** Payments, holds, balances and the ledger. */
export const creditOperations = {
  settle: shared(sharingOf, settleSent, 'quick'),
  extendHold: single(extendHold, 'quick'),
  releaseHolds: long(releaseHolds),
  pruneIdempotency: single(pruneIdempotency),
  paidAt: read(paidAt, 'quick'),
  remainingCredits: read(remainingCredits, 'quick'),
  keySpending: read(keySpending, 'quick'),
  registerTag: write(registerTag, 'quick'),
  logCalls: shared('synced', logCalls, 'quick'),
  creditBalance: read(creditBalance),
  creditGauges: read(creditGauges),
  creditHistory: report(creditHistory),
  receipt: read(receipt),
  verifyLedger: report(verifyLedger, 'long'),
  verifyNewestEntries: report(verifyNewestEntries),
} satisfies Operations
export type CreditStore = Subject<typeof creditOperations>

/** Grants, budgets and alerts, and the clock that days and months follow. */
export const grantOperations = {
  grantCredits: write(grantCredits, 'quick'),
  adjustCredits: write(adjustCredits, 'quick'),
  setBudget: write(setBudget),
  setAlerts: write(setAlerts),
  readAlerts: read(readAlerts),
  countDays: write(countDays),
  countDaysAhead: write(countDaysAhead),
  knownTime: read(knownTime),
  ...recurringOperations,
} satisfies Operations
export type GrantStore = Subject<typeof grantOperations>

/** Paid calls: one by one, and summed by day. */
export const usageOperations = {
  ...callOperations,
  countUsage: report(countUsage),
  rankUsage: report(rankUsage),
  tagsLike: report(tagsLike, 'short'),
  limitsReached: report(limitsReached),
  recentFailures: report(recentFailures),
  sumDay: long(sumDay),
  dayToSum: read(dayToSum),
  forgetSums: write(forgetSums),
} satisfies Operations
export type UsageStore = Subject<typeof usageOperations>

/** Price books. */
export const priceOperations = {
  ...priceBookOperations,
  pricePreview: report(pricePreview),
} satisfies Operations
export type PriceStore = Subject<typeof priceOperations>
