/** Prefixes field names with the part of the record that contains them. */
export function under(part: string, ...fields: string[]): string[] {
  return fields.map((field) => `${part}.${field}`)
}
