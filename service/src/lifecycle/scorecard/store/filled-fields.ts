/**
 * The fields of a record that have a value, by their dotted paths; one inside a list has one where any element has.
 * `false` is also what is written for "unknown", so it is no value.
 */
export function filledFields(record: object): Set<string> {
  const filled = new Set<string>()
  for (const [name, value] of Object.entries(record)) addFilled(name, value, filled)
  return filled
}

function addFilled(path: string, value: unknown, filled: Set<string>): boolean {
  const isFilled = Array.isArray(value)
    ? value.filter((element) => addElement(path, element, filled)).length > 0
    : addElement(path, value, filled)
  if (isFilled) filled.add(path)
  return isFilled
}

function addElement(path: string, value: unknown, filled: Set<string>): boolean {
  if (value === null || value === undefined || value === '' || value === false) return false
  if (typeof value !== 'object') return true
  return Object.entries(value).filter(([name, inner]) => addFilled(`${path}.${name}`, inner, filled)).length > 0
}
