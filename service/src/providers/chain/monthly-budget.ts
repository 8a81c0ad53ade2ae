import { utcMonth } from '../../foundation/clock.ts'
import { ProviderFault } from '@vitae/provider'
import type { CallCounts } from '../call-counts.ts'
import type { Spending } from '../operations.ts'

/** What an operator allows: asked once per ask, before the provider is. */
export interface Budget {
  spend(provider: string, at: number): Promise<Spending>
  /** What `spend` would say; nothing is counted. */
  peek(provider: string, at: number): Promise<Spending>
}

/** Counts calls durably by UTC calendar month. A provider without a limit is counted all the same, for the operator to see. */
export function createBudget(
  counts: Pick<CallCounts, 'spend' | 'peek'>,
  limits: Readonly<Record<string, number | null>>,
): Budget {
  const asked = (provider: string, at: number) => ({ provider, month: utcMonth(at), limit: limits[provider] ?? null })
  return {
    spend: (provider, at) => counts.spend(asked(provider, at)),
    peek: (provider, at) => counts.peek(asked(provider, at)),
  }
}

/** The outage that a refusal by the operator is, or null when the call may be made. */
export function refusalOf(provider: string, spending: Spending): ProviderFault | null {
  if (spending === 'ok') return null
  const why = spending === 'paused' ? 'is paused' : 'has no calls left this month'
  return new ProviderFault('unavailable', `${provider} ${why}`, { retryAfterSeconds: 60 })
}
