export const dayMs = 86_400_000

/** A provider's timestamp in milliseconds since the epoch. A timestamp without a zone is UTC. */
export function instant(value: unknown): number | null {
  if (typeof value !== 'string') return null
  const iso = value.trim().replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
  const isZoned = !iso.includes('T') || /(z|[+-]\d{2}:?\d{2})$/i.test(iso)
  const at = /^\d{4}-\d{2}-\d{2}/.test(iso) ? Date.parse(isZoned ? iso : `${iso}Z`) : Number.NaN
  return Number.isNaN(at) ? null : at
}

/** The latest of several timestamps, or null if none is known. */
export function latestInstant(...values: unknown[]): number | null {
  const known = values.flatMap((value) => instant(value) ?? [])
  return known.length > 0 ? Math.max(...known) : null
}
