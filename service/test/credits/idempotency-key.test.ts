import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fingerprint, idempotencyHash } from '../../src/credits/idempotency-key.ts'
import { Failure } from '../../src/foundation/failure.ts'
import { parseIdempotencyKey } from '../../src/http/exchange/parse-lookup.ts'

const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
const anyValue = fc.string({ unit: visible, minLength: 1, maxLength: 255 })
const quote = (value: string) => `"${value.replaceAll(/(["\\])/g, '\\$1')}"`

function refusal(header: string | string[]): Failure['details'] | null {
  try {
    parseIdempotencyKey(header)
    return null
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error
    return error.details
  }
}

describe('Idempotency-Key', () => {
  test('every value of visible ASCII may be sent bare', () => {
    const bare = anyValue.filter((value) => !value.startsWith('"'))
    fc.assert(fc.property(bare, (value) => parseIdempotencyKey(value) === value))
  })

  test('every value may be sent quoted, and equals its bare form', () => {
    fc.assert(fc.property(anyValue, (value) => parseIdempotencyKey(quote(value)) === value))
  })

  test('a call without the header has no value', () => {
    expect(parseIdempotencyKey(undefined)).toBeNull()
  })

  test('a value with any other character is refused, bare and quoted', () => {
    const other = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !/^[\x21-\x7e]*$/.test(text))
    fc.assert(fc.property(other, (text) => refusal(text) !== null && refusal(quote(text)) !== null))
  })

  test.each([
    ['nothing', ''],
    ['nothing in quotes', '""'],
    ['256 characters', 'a'.repeat(256)],
    ['256 characters in quotes', quote('a'.repeat(256))],
    ['an open quote', '"abc'],
    ['a lone quote', '"'],
    ['a quote inside quotes', '"a"b"'],
    ['an escaped closing quote', '"abc\\"'],
    ['an unknown escape', '"a\\b"'],
    ['parameters after the quotes', '"abc";v=1'],
    ['two values in one header', 'one, two'],
    ['two quoted values in one header', '"one", "two"'],
    ['a repeated header', ['one', 'two']],
    ['a line break', 'a\n'],
  ])('%s is refused, and the message names the header', (_, header) => {
    expect(refusal(header)?.errors).toMatchObject([{ parameter: 'Idempotency-Key' }])
  })

  test('255 characters count after unquoting', () => {
    const value = '"'.repeat(255)
    expect(parseIdempotencyKey(quote(value))).toBe(value)
  })

  test('two environments, two values or two secrets never have the same hash', () => {
    const facts = fc.tuple(fc.constantFrom('s', 't'), fc.nat(20), anyValue)
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        const same = one.every((fact, index) => fact === other[index])
        expect(idempotencyHash(...one) === idempotencyHash(...other)).toBe(same)
      }),
    )
    // Drawn values are hardly ever equal, so the secret alone rarely differs.
    expect(idempotencyHash('s', 1, 'a')).not.toBe(idempotencyHash('t', 1, 'a'))
  })

  test('a fingerprint changes with every fact, and names no one', () => {
    const facts = {
      kind: 'people' as const,
      identifier: { type: 'slug' as const, value: 'ada-lovelace' },
      includeContactInfo: false,
      includeNetworkInfo: false,
      includeVerifications: false,
      maxAgeDays: 7,
      bypassCache: false,
      require: null,
    }
    const others = [
      { kind: 'companies' as const },
      { identifier: { type: 'slug' as const, value: 'grace-hopper' } },
      { identifier: { type: 'opaque' as const, value: 'ada-lovelace' } },
      { includeContactInfo: true },
      { includeNetworkInfo: true },
      { includeVerifications: true },
      { maxAgeDays: 0.5 },
      { bypassCache: true },
      { require: ['headline'] },
    ].map((change) => fingerprint({ ...facts, ...change }))
    expect(fingerprint({ ...facts })).toBe(fingerprint(facts))
    expect(new Set([fingerprint(facts), ...others]).size).toBe(10)
    expect(fingerprint(facts)).not.toContain('ada')
  })
})
