import { ProviderFault } from '@vitae/provider'

/** Whether one more call may be made. */
export type Spending = 'ok' | 'spent' | 'paused'

/** The operator's limits, checked once per ask before the provider is called. */
export interface Budget {
  spend(provider: string, at: number): Promise<Spending>
  /** The result that `spend` would return, without counting. */
  peek(provider: string, at: number): Promise<Spending>
}

/** The fault for a call that the operator's limits refuse; null if the call is allowed. */
export function refusalOf(provider: string, spending: Spending): ProviderFault | null {
  if (spending === 'ok') return null
  const why = spending === 'paused' ? 'is paused' : 'has no calls left this month'
  return new ProviderFault('unavailable', `${provider} ${why}`, { retryAfterSeconds: 60 })
}
