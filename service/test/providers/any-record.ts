import type { Kind } from '@vitae/contract'
import fc from 'fast-check'
import { isDate, recordShapes, unwrapped, type Shape } from '../../src/providers/contract-shape/schema-shape.ts'

/** Any text of any script, without lone surrogates. */
const anyText = fc.string({ unit: 'binary', maxLength: 12 })
const codes: Record<string, fc.Arbitrary<string>> = {
  '^[a-z]{2}$': fc.constantFrom('de', 'us', 'jp'),
  '^[A-Z]{2}$': fc.constantFrom('DE', 'US', 'JP'),
}

/** Any record that the contract allows, with every key present and in order. */
export function anyRecord(kind: Kind): fc.Arbitrary<Record<string, unknown>> {
  const properties = Object.entries(recordShapes[kind].properties ?? {})
  const id = fc.integer({ min: 1, max: 2 ** 40 })
  const fields = properties.map(([key, shape]): [string, fc.Arbitrary<unknown>] => {
    if (key === 'entity_urn') return [key, id.map((number) => `urn:li:fsd_profile:ACoAA${number}`)]
    if (key === 'member_urn') return [key, id.map((number) => `urn:li:member:${number}`)]
    return [key, key === 'company_id' ? id.map(String) : anyValue(shape)]
  })
  return fc.record(Object.fromEntries(fields), { noNullPrototype: true })
}

function anyValue(nested: Shape): fc.Arbitrary<unknown> {
  const { shape, isNullable } = unwrapped(nested)
  return isNullable ? fc.option(anyOf(shape), { nil: null, freq: 3 }) : anyOf(shape)
}

function anyOf(shape: Shape): fc.Arbitrary<unknown> {
  if (isDate(shape)) return anyDate('iso' in (shape.properties ?? {}))
  if (shape.type === 'object') {
    const fields = Object.entries(shape.properties ?? {}).map(([key, inner]) => [key, anyValue(inner)] as const)
    return fc.record(Object.fromEntries(fields), { noNullPrototype: true })
  }
  if (shape.type === 'array')
    return fc.array(shape.items?.type || shape.items?.anyOf ? anyValue(shape.items) : anyText, { maxLength: 2 })
  if (shape.type === 'string') return codes[shape.pattern ?? ''] ?? anyText
  if (shape.type === 'boolean') return fc.boolean()
  return fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
}

function anyDate(hasIso: boolean): fc.Arbitrary<unknown> {
  const parts = fc.tuple(
    fc.integer({ min: 1, max: 9999 }),
    fc.option(fc.integer({ min: 1, max: 12 })),
    fc.option(fc.integer({ min: 1, max: 28 })),
  )
  return parts.map(([year, month, given]) => {
    const day = month === null ? null : given
    const two = (part: number | null) => (part === null ? '' : `-${String(part).padStart(2, '0')}`)
    const date = { year, month, day }
    return hasIso ? { ...date, iso: `${String(year).padStart(4, '0')}${two(month)}${two(day)}` } : date
  })
}
