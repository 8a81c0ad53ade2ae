/**
 * The providers that may answer an environment, in the order in which they are asked; null = all, in the order of the
 * chain.
 */
export type Route = readonly string[] | null

/**
 * The provider name of records that the operator imported in the contract's shape: no provider's terms apply to them.
 */
export const ownImport = 'import'

/** When each provider denied a record, if not the whole chain did. */
export type Denials = Readonly<Record<string, number>>

/** Parses a stored route: a JSON list. */
export function readRoute(text: string | null): string[] | null {
  // Written by `setRoute` from checked names.
  return text === null ? null : (JSON.parse(text) as string[])
}

/** Whether an environment may be served data of a provider. */
export function mayUse(route: Route, provider: string): boolean {
  return route === null || provider === ownImport || route.includes(provider)
}

/** When all providers of a route had denied a record; null if one of them has not. */
export function deniedAt(route: Route, denials: Denials | undefined): number | null {
  if (route === null || !denials) return null
  const times = route.map((provider) => denials[provider] ?? -Infinity)
  const earliest = Math.min(...times)
  return Number.isFinite(earliest) ? earliest : null
}

/** The name of something that environments with the same route share. */
export function onRoute(name: string, route: Route): string {
  return route === null ? name : `${name} via ${route.join(',')}`
}
