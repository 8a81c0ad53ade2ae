/** The units that a payload did not say, as a version keeps them; null for none. Modules may give anything as a unit. */
export function unsaidText(units: readonly unknown[] | undefined): string | null {
  const known = Array.isArray(units) ? units.filter((unit) => /^[a-z_.]{1,60}$/.test(String(unit))) : []
  return [...new Set(known)].join(',') || null
}

/** The units of `unsaidText`. */
export function readUnsaid(text: string | null): ReadonlySet<string> {
  return new Set(text?.split(','))
}
