import type { Provider } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'

/** The state of a provider as a badge. */
export function ProviderState({ of: provider }: { of: Provider }) {
  const { budget } = provider
  if (!provider.configured) return <Badge>not configured</Badge>
  if (provider.paused) return <Badge tone="warning">paused</Badge>
  if (!provider.in_chain) return <Badge>not in the chain</Badge>
  if (budget.limit !== null && budget.calls >= budget.limit) return <Badge tone="danger">budget spent</Badge>
  if (provider.breaker === 'open') return <Badge tone="danger">breaker open</Badge>
  if (provider.breaker === 'half-open') return <Badge tone="warning">trying again</Badge>
  if (provider.recent.failing) return <Badge tone="danger">failing</Badge>
  if (provider.confirmed === false) return <Badge tone="warning">not confirmed against the live API</Badge>
  return <Badge tone="good">healthy</Badge>
}
