import type { TSchema } from 'typebox'

interface Walked {
  properties?: Record<string, TSchema>
  items?: TSchema
  anyOf?: TSchema[]
}

type Order = (value: unknown) => unknown

/**
 * Returns a function that puts the keys of a valid value into schema order. A value that is already in order is
 * returned itself. Keys that the schema does not name are dropped.
 */
export function inContractOrder(schema: TSchema): Order {
  return orderOf(schema) ?? ((value) => value)
}

/** Null for a schema without keys. */
function orderOf(schema: TSchema): Order | null {
  const { properties, items, anyOf } = schema as Walked
  // Every union in the contract is "shape or null".
  if (anyOf?.[0]) return orderOf(anyOf[0])
  if (properties) return orderOfObject(properties)
  const item = items ? orderOf(items) : null
  return item && ((value) => (Array.isArray(value) ? inOrder(value, item) : value))
}

function inOrder(list: unknown[], item: Order): unknown[] {
  let ordered: unknown[] | null = null
  for (const [index, entry] of list.entries()) {
    const after = item(entry)
    if (after !== entry) (ordered ??= [...list])[index] = after
  }
  return ordered ?? list
}

function orderOfObject(properties: Record<string, TSchema>): Order {
  const keys = Object.keys(properties)
  const nested = Object.entries(properties).flatMap(([key, schema]) => {
    const order = orderOf(schema)
    return order ? [{ key, order }] : []
  })
  return (value) => {
    if (value === null || typeof value !== 'object') return value
    const given = value as Record<string, unknown>
    let changed: Record<string, unknown> | null = null
    for (const { key, order } of nested) {
      const before = given[key]
      const after = order(before)
      if (after !== before) (changed ??= { ...given })[key] = after
    }
    if (!changed && hasOrder(given, keys)) return value
    const known = changed ?? given
    return Object.fromEntries(keys.filter((key) => key in known).map((key) => [key, known[key]]))
  }
}

function hasOrder(given: object, keys: readonly string[]): boolean {
  let at = 0
  for (const key in given) {
    while (at < keys.length && keys[at] !== key) at++
    if (at === keys.length) return false
    at++
  }
  return true
}
