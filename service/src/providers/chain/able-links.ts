import type { Provider, ProviderAsk } from '@vitae/provider'
import type { Route } from '../../foundation/environments/route.ts'
import { isDerivedCompanyId, type Identifier } from '../../foundation/identifier.ts'
import type { Link } from './ask-one-provider.ts'

/** The providers of a route, in its order. */
export function onRoute(links: readonly Link[], route: Route): readonly Link[] {
  return route?.flatMap((name) => links.find(({ provider }) => provider.name === name) ?? []) ?? links
}

/** Whether a provider can answer the question. Most providers do not know our derived ids, so a 404 from them proves nothing. */
export function canBeAsked(
  { name, asks, asksByKey = false, asksByDomain = false, matchesBy, refusesOpaqueIds }: Provider,
  { kind, type, value, match }: Identifier,
  skip?: ReadonlySet<string>,
): boolean {
  if (skip?.has(name)) return false
  if (match) return (matchesBy?.[kind] ?? []).some((signals) => signals.every((one) => match[one] !== undefined))
  if (asks && !asks[kind].includes(type)) return refusesOpaqueIds === true && type === 'opaque' && asks[kind].length > 0
  if (asks && type === 'urn') return value.startsWith('urn:li:member:')
  if (type === 'domain') return asksByDomain
  return asksByKey || (type !== 'urn' && !isDerivedCompanyId(value))
}

/**
 * The providers that can answer the question. A provider that cannot look up opaque member ids is asked only if no
 * other provider can be: after a "not found" from others, its refusal would turn an answer into an outage.
 */
export function ableTo(
  links: readonly Link[],
  { identifier, skip }: Pick<ProviderAsk, 'identifier' | 'skip'>,
): readonly Link[] {
  const able = links.filter(({ provider }) => canBeAsked(provider, identifier, skip))
  const fit = able.filter(({ provider }) => identifier.type !== 'opaque' || !provider.refusesOpaqueIds)
  return fit.length > 0 ? fit : able
}
