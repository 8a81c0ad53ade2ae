import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAddressLine } from '../../../src/providers/mapping/address-line.ts'

/** Street, city, area, postcode and country. */
function split(line: string, known = {}) {
  const place = parseAddressLine(line, known)
  return place && [place.address_line1, place.city, place.geographic_area, place.postal_code, place.country]
}

describe('an address in one line', () => {
  test.each([
    ['20 Pier St., Suite 7, Boston, MA 02110, US', ['20 Pier St., Suite 7', 'Boston', 'MA', '02110', 'us']],
    ['London, England SW1A 1AA, GB', [null, 'London', 'England', 'SW1A 1AA', 'gb']],
    ['Haifa, Israel 42507, IL', [null, 'Haifa', null, '42507', 'il']],
    ['Berlin, Berlin 10115, DE', [null, 'Berlin', 'Berlin', '10115', 'de']],
    ['Berlin 10115, DE', [null, 'Berlin', null, '10115', 'de']],
    ['Street 9, Berlin, DE', ['Street 9', 'Berlin', null, null, 'de']],
    ['Vigo, Galicia, Spain', [null, 'Vigo', 'Galicia', null, 'es']],
    ['Luxembourg, Luxembourg, LU', [null, 'Luxembourg', null, null, 'lu']],
    ['Singapore, SG', [null, 'Singapore', null, null, 'sg']],
    ['Singapore', [null, 'Singapore', null, null, 'sg']],
    ['Portugal', [null, null, null, null, 'pt']],
    ['SG', [null, null, null, null, 'sg']],
    ['Porto', [null, 'Porto', null, null, null]],
  ])('%s', (line, parts) => {
    expect(split(line)).toEqual(parts)
  })

  test('ends with a state and not with a country, where the company is in a country with such states', () => {
    expect(split('Chicago, IL', { countries: ['US'] })).toEqual([null, 'Chicago', 'IL', null, 'us'])
    expect(split('Chicago, IL', { endsWithCountry: false })).toEqual([null, 'Chicago', 'IL', null, null])
    expect(split('Haifa, IL', { countries: ['IL', 'US'] })).toEqual([null, 'Haifa', null, null, 'il'])
  })

  test('is split at a city that is known, with or without a comma', () => {
    const known = { city: 'Porto' }
    expect(split('Quay 9 Porto, Norte 4050-297, PT', known)).toEqual(['Quay 9', 'Porto', 'Norte', '4050-297', 'pt'])
    expect(split('Rua do Ouro, Porto, PT', known)).toEqual(['Rua do Ouro', 'Porto', null, null, 'pt'])
  })

  test('of parts without digits and a country loses none of them', () => {
    const word = fc.stringMatching(/^[B-D][a-z]{4,9}x$/)
    fc.assert(
      fc.property(word, word, fc.constantFrom('DE', 'PT', 'JP'), (city, area, country) => {
        expect(split(`${city}, ${area}, ${country}`)).toEqual([null, city, area, null, country.toLowerCase()])
        expect(split(`${city}, ${country}`)).toEqual([null, city, null, null, country.toLowerCase()])
      }),
    )
  })

  test('of any text has no empty part and a country in lower case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (line) => {
        const place = parseAddressLine(line)
        for (const part of Object.values(place ?? {})) expect(part).not.toBe('')
        expect(place?.country ?? 'xx').toMatch(/^[a-z]{2}$/)
      }),
    )
  })
})
