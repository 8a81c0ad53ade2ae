/** Dotted paths of fields inside a part of a record. */
export function under(part: string, ...fields: string[]): string[] {
  return fields.map((field) => `${part}.${field}`)
}
