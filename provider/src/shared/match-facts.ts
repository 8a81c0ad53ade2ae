import type { MatchInput, MatchSignal } from '../identifier.ts'
import type { MatchFacts } from '../provider.ts'

/** The likelihood assumed for a provider that reports none, by the inputs it was asked by; the highest first. */
const constants: readonly { signals: readonly MatchSignal[]; likelihood: number }[] = [
  { signals: ['email'], likelihood: 0.95 },
  { signals: ['phone'], likelihood: 0.9 },
  { signals: ['domain'], likelihood: 0.9 },
  { signals: ['name', 'company_domain'], likelihood: 0.85 },
  { signals: ['name', 'company'], likelihood: 0.8 },
  { signals: ['name'], likelihood: 0.8 },
]

/**
 * The likelihood of a match. `agreed` holds the inputs that matched: all inputs, unless the provider was asked by fewer
 * or reports them. `likelihood` is the provider's own, if it reports one.
 */
export function matchFacts(agreed: Partial<MatchInput>, likelihood: number | null = null): MatchFacts {
  const known = constants.find(({ signals }) => signals.every((signal) => agreed[signal] !== undefined))
  return { likelihood: likelihood ?? known?.likelihood ?? 0, matchedOn: known?.signals ?? [] }
}
