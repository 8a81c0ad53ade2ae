/** The first of several keys that holds something: the vendor renamed `linkedin_*` keys, and accounts see either name. */
export function either(raw: Record<string, unknown>, ...keys: string[]): unknown {
  return keys.map((key) => raw[key]).find((value) => value !== undefined && value !== null && value !== '')
}
