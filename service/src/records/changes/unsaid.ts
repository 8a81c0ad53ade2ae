/**
 * The units that a payload did not say, in stored form; null if none. Provider modules may return anything as a unit,
 * so it is filtered.
 */
export function unsaidText(units: readonly unknown[] | undefined): string | null {
  const known = Array.isArray(units) ? units.filter((unit) => /^[a-z_.]{1,60}$/.test(String(unit))) : []
  return [...new Set(known)].join(',') || null
}

/** Parses the text of `unsaidText`. */
export function readUnsaid(text: string | null): ReadonlySet<string> {
  return new Set(text?.split(','))
}
