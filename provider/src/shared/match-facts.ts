import type { MatchInput, MatchSignal } from '../identifier.ts'
import type { MatchFacts } from '../provider.ts'

/** What a provider that gives no likelihood is believed, by what it was asked by. The surest first. */
const constants: readonly { signals: readonly MatchSignal[]; likelihood: number }[] = [
  { signals: ['email'], likelihood: 0.95 },
  { signals: ['phone'], likelihood: 0.9 },
  { signals: ['domain'], likelihood: 0.9 },
  { signals: ['name', 'company_domain'], likelihood: 0.85 },
  { signals: ['name', 'company'], likelihood: 0.8 },
  { signals: ['name'], likelihood: 0.8 },
]

/**
 * How sure a record is that a provider found. `agreed` is what it was found by: all of the input, unless the provider was
 * asked by less or says so itself. `likelihood` is the provider's own, where it gives one.
 */
export function matchFacts(agreed: Partial<MatchInput>, likelihood: number | null = null): MatchFacts {
  const known = constants.find(({ signals }) => signals.every((signal) => agreed[signal] !== undefined))
  return { likelihood: likelihood ?? known?.likelihood ?? 0, matchedOn: known?.signals ?? [] }
}
