import type { TSchema } from 'typebox'

interface Walked {
  properties?: Record<string, TSchema>
  items?: TSchema
  anyOf?: TSchema[]
}

/**
 * The same value with the keys of every object in the order of its schema, whatever order a provider or an import gave
 * them. The value must be valid: keys that the schema does not name are left out.
 */
export function inContractOrder(schema: TSchema, value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const { properties, items, anyOf } = schema as Walked
  // A union of the contract is a shape or null.
  const shape = anyOf?.[0]
  if (shape) return inContractOrder(shape, value)
  if (Array.isArray(value)) return items ? value.map((entry) => inContractOrder(items, entry)) : value
  if (!properties) return value
  const given = value as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([key]) => key in given)
      .map(([key, property]) => [key, inContractOrder(property, given[key])]),
  )
}
