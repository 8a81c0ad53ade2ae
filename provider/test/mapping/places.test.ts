import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countryCode, countryName } from '../../src/mapping/country.ts'
import {
  canonicalPageUrl,
  companyPageUrl,
  isShowcaseUrl,
  numericIdFromUrl,
  opaqueIdFromUrl,
  profileUrl,
  slugFromUrl,
} from '../../src/mapping/platform-url.ts'

describe('a country', () => {
  test.each([
    ['us', 'US'],
    ['United States', 'US'],
    ['united states', 'US'],
    ['USA', 'US'],
    ['canada', 'CA'],
    ['UK', 'GB'],
    ['Türkiye', 'TR'],
    ['turkey', 'TR'],
    ['South Korea', 'KR'],
    ['Moldova', 'MD'],
    ["Côte d'Ivoire", 'CI'],
    ['The Netherlands', 'NL'],
    ['Hong Kong SAR', 'HK'],
  ])('%j is %s', (given, code) => {
    expect(countryCode(given)).toBe(code)
  })

  test.each([['XX'], ['ZZZ'], ['Contact Info'], ['US,ZA'], [''], [null], [7], [{}]])('%j is not a country', (given) => {
    expect(countryCode(given)).toBeNull()
    expect(countryName(given)).toBeNull()
  })

  test('has a code that its name maps back to, in any case', () => {
    const codes = Array.from({ length: 676 }, (_, index) =>
      String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26)),
    ).filter((code) => countryCode(code) === code)
    expect(codes.length).toBeGreaterThan(240)
    for (const code of codes) {
      const name = countryName(code)
      expect(countryCode(name), code).toBe(code)
      expect(countryCode(name?.toUpperCase()), code).toBe(code)
      expect(countryCode(code.toLowerCase())).toBe(code)
    }
  })
})

describe('a page of the platform', () => {
  const slug = fc
    .string({ unit: fc.constantFrom(..."abcxyz0189-.&é名'"), minLength: 1 })
    .filter((value) => /[a-z]/.test(value))
  const wrap = fc.constantFrom(
    (path: string) => `https://www.linkedin.com/${path}`,
    (path: string) => `https://fi.linkedin.com/${path}/`,
    (path: string) => `linkedin.com/${path}?trk=public_profile`,
    (path: string) => `HTTP://www.LinkedIn.com/${path}/about/#top`,
    (path: string) => `//www.linkedin.com/${path}`,
  )

  test('has the same slug however its URL is written', () => {
    fc.assert(
      fc.property(slug, fc.constantFrom('company', 'school', 'showcase', 'in'), wrap, (name, kind, written) => {
        const folded = name.normalize('NFC').toLowerCase()
        expect(slugFromUrl(written(`${kind}/${encodeURIComponent(name)}`), [kind])).toBe(folded)
        expect(slugFromUrl(written(`${kind}/${encodeURIComponent(name.toUpperCase())}`), [kind])).toBe(
          name.toUpperCase().normalize('NFC').toLowerCase(),
        )
        expect(slugFromUrl(written(`${kind}/${encodeURIComponent(name)}`), [])).toBeNull()
      }),
    )
  })

  test('has a number or a slug, never both', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), wrap, (number, written) => {
        const url = written(`company/${number}`)
        expect(numericIdFromUrl(url)).toBe(String(number))
        expect(slugFromUrl(url, ['company'])).toBeNull()
        expect(numericIdFromUrl(written(`company/a${number}`))).toBeNull()
      }),
    )
    expect(slugFromUrl('https://www.linkedin.com/in/12345', ['in'])).toBe('12345')
  })

  test('is made from a slug and read back', () => {
    fc.assert(
      fc.property(slug, (name) => {
        const folded = name.normalize('NFC').toLowerCase()
        expect(slugFromUrl(companyPageUrl(name), ['company'])).toBe(folded)
        expect(slugFromUrl(profileUrl(name), ['in'])).toBe(folded)
        expect(canonicalPageUrl(`${companyPageUrl(name)}/?trk=x`)).toBe(companyPageUrl(name))
      }),
    )
  })

  test.each([
    ['https://www.linkedin.com/search/results/all/?keywords=Acme'],
    ['https://www.linkedin.com/company/'],
    ['https://evil.example/linkedin.com/company/acme'],
    ['https://notlinkedin.com/company/acme'],
    ['https://www.linkedin.com.evil.example/company/acme'],
    [null],
    [7],
    [''],
  ])('%j is not a page', (url) => {
    expect([
      slugFromUrl(url, ['company', 'in', 'school', 'showcase']),
      numericIdFromUrl(url),
      canonicalPageUrl(url),
    ]).toEqual([null, null, null])
    expect(isShowcaseUrl(url)).toBeNull()
  })

  test('keeps the case of an opaque member id, which is not a slug', () => {
    const url = 'https://www.linkedin.com/in/ACoAABcDEf?x'
    expect(opaqueIdFromUrl(url)).toBe('ACoAABcDEf')
    expect(slugFromUrl(url, ['in'])).toBeNull()
    expect(opaqueIdFromUrl('https://www.linkedin.com/in/acoaabcdef')).toBeNull()
  })

  test('may be a showcase', () => {
    expect(isShowcaseUrl('https://www.linkedin.com/showcase/x/')).toBe(true)
    expect(isShowcaseUrl('https://www.linkedin.com/company/x/')).toBe(false)
    expect(isShowcaseUrl('https://www.linkedin.com/in/x/')).toBeNull()
  })

  test('with a broken escape is kept unchanged', () => {
    expect(slugFromUrl('https://www.linkedin.com/company/50%-off', ['company'])).toBe('50%-off')
  })
})
