/** The providers that an environment may be answered by, in the order in which they are asked; null = all, in the order of the chain. */
export type Route = readonly string[] | null

/** The provider of records that the operator brought in the shape of the contract: no provider's terms hold for them. */
export const ownImport = 'import'

/** When each provider said that it knows no such record, where not the whole chain did. */
export type Denials = Readonly<Record<string, number>>

/** A route as it is stored: a JSON list. */
export function readRoute(text: string | null): string[] | null {
  // Written by `setRoute` from checked names.
  return text === null ? null : (JSON.parse(text) as string[])
}

/** Whether an environment may be served what a provider gave. */
export function mayUse(route: Route, provider: string): boolean {
  return route === null || provider === ownImport || route.includes(provider)
}

/** When the last doubt ended that a route knows no such record; null where one of its providers has not said so. */
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
