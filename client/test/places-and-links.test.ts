import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toCountryCode, withScheme } from '../src/index.ts'

const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
const code = fc.tuple(letter, letter).map(([first, second]) => first + second)

test("a company's code and a person's code have the same form", () => {
  fc.assert(
    fc.property(code, (lower) => {
      const upper = lower.toUpperCase()
      expect(toCountryCode({ country: lower })).toBe(upper)
      expect(toCountryCode({ country: 'Some Country', country_code: upper })).toBe(upper)
      expect(toCountryCode(lower)).toBe(upper)
      expect(toCountryCode(upper)).toBe(upper)
    }),
  )
})

test('anything that is not a code is null', () => {
  const places = [
    null,
    undefined,
    '',
    'DEU',
    'd',
    '12',
    {},
    { country: null },
    { country: 'Germany', country_code: null },
  ]
  for (const place of places) expect(toCountryCode(place)).toBeNull()
})

test('an address without a scheme gets one, and other addresses stay unchanged', () => {
  expect(withScheme('unreal-bridges.example')).toBe('https://unreal-bridges.example')
  expect(withScheme('unreal-bridges.example:8080/a')).toBe('https://unreal-bridges.example:8080/a')
  expect(withScheme('//unreal-bridges.example')).toBe('https://unreal-bridges.example')
  expect(withScheme(' http://unreal-bridges.example ')).toBe('http://unreal-bridges.example')
  expect(withScheme('HTTPS://unreal-bridges.example')).toBe('HTTPS://unreal-bridges.example')
  expect(withScheme('mailto:mira@unreal-bridges.example')).toBe('mailto:mira@unreal-bridges.example')
})

test('an empty address is null', () => {
  for (const blank of [null, undefined, '', '  ', '//']) expect(withScheme(blank)).toBeNull()
})

test('applying it twice changes nothing more', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.domain()), (url) => {
      const once = withScheme(url)
      expect(withScheme(once)).toBe(once)
    }),
  )
})

test('any domain becomes an address that URL parses', () => {
  fc.assert(
    fc.property(fc.domain(), (domain) => {
      expect(new URL(withScheme(domain) ?? '').protocol).toBe('https:')
    }),
  )
})
