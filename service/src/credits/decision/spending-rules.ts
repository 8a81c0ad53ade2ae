import { monthKey, monthOf, type Account, type LedgerSnapshot, type Mark, type PayingKey } from './ledger-snapshot.ts'
import type { RefusalCode, SettleRequest, RemainingCredits, Verdict } from '../settlement-requests.ts'

/** Whether the key may still pay at this moment. */
export function keyRefusal(account: Account, key: PayingKey, at: number): RefusalCode | null {
  if (key.revokedAt !== null && key.revokedAt <= at) return 'revoked_api_key'
  if (key.expiresAt !== null && key.expiresAt <= at) return 'expired_api_key'
  if (account.suspended) return 'project_suspended'
  if (account.billingBlocked) return 'billing_blocked'
  return null
}

/** What the mark of the request's idempotency value says; null = go on. */
export function markVerdict(mark: Mark | undefined, request: SettleRequest): Verdict | null {
  if (!mark || !request.idempotency || mark.expiresAt <= request.at) return null
  if (mark.state === 'running' && mark.requestId === request.requestId) return null
  if (mark.fingerprint !== request.idempotency.fingerprint) return { outcome: 'mismatch' }
  if (mark.state === 'done') {
    const source = mark.source === 'stale_fallback' ? 'stale_fallback' : 'store'
    return { outcome: 'replay', requestId: mark.requestId, versionId: mark.versionId, source }
  }
  // A capture meets another's running mark only when its own was given up. The first to finish is the one that pays.
  if (request.type === 'capture') return null
  return { outcome: 'running', requestId: mark.requestId, expiresAt: mark.expiresAt }
}

/** Whether an amount fits under the key's ceiling and into the account. Nothing is refused for free. */
export function fundsRefusal(
  snapshot: LedgerSnapshot,
  account: Account,
  key: PayingKey,
  month: string,
  amount: number,
): RefusalCode | null {
  if (amount === 0) return null
  if (key.ceiling !== null && spentIn(snapshot, key, month) + amount > key.ceiling) return 'credit_ceiling_reached'
  if (account.balance - account.held < amount) return 'out_of_credits'
  return null
}

/** What is left to the caller now: of the account, and of the key's ceiling in the current month. */
export function remainingCreditsOf(
  snapshot: LedgerSnapshot,
  request: { accountId: number; keyId: string; at: number },
): RemainingCredits {
  const account = snapshot.accounts.get(request.accountId)
  const key = snapshot.keys.get(request.keyId)
  const available = account ? account.balance - account.held : 0
  if (!key || key.ceiling === null) return { available, ceilingRemaining: null }
  return { available, ceilingRemaining: Math.max(0, key.ceiling - spentIn(snapshot, key, monthOf(request.at))) }
}

function spentIn(snapshot: LedgerSnapshot, key: PayingKey, month: string): number {
  const spent = snapshot.months.get(monthKey(key.spendId, month))
  return spent ? spent.captured + spent.held : 0
}
