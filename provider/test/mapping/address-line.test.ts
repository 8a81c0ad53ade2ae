import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAddressLine } from '../../src/mapping/places/address-line.ts'

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

  // A list of regions identifies the city. If two readings remain, the text stays in the street.
  test.each([
    ['5 Mill Lane, Springfield, Illinois, IL 62701, US', ['5 Mill Lane', 'Springfield', 'IL', '62701', 'us']],
    ['Seattle, Washington, WA, US', [null, 'Seattle', 'WA', null, 'us']],
    ['Washington, District of Columbia 20001, US', [null, 'Washington', 'District of Columbia', '20001', 'us']],
    ['Washington, District of Columbia, DC 20001, US', [null, 'Washington', 'DC', '20001', 'us']],
    ['9 K St, District of Columbia 20001, US', ['9 K St', null, 'District of Columbia', '20001', 'us']],
    ['350 Fig Ave, New York, NY 10118, US', ['350 Fig Ave', 'New York', 'NY', '10118', 'us']],
    ['350 Fig Ave, New York 10118, US', ['350 Fig Ave', 'New York', null, '10118', 'us']],
    ['Fig Hall, New York, NY 10118, US', ['Fig Hall, New York', null, 'NY', '10118', 'us']],
    ['Innovation Hall, Springfield 62701, US', ['Innovation Hall', 'Springfield', null, '62701', 'us']],
    ['Main Street, IL 62701, US', ['Main Street', null, 'IL', '62701', 'us']],
    ['California, US', [null, null, 'California', null, 'us']],
    ['Miami, Florida', [null, 'Miami', 'Florida', null, null]],
    ['Paseo 5, Ciudad de México, CDMX 06600, MX', ['Paseo 5', 'Ciudad de México', 'CDMX', '06600', 'mx']],
    ['Roma Norte, Ciudad de México, CDMX, MX', ['Roma Norte', 'Ciudad de México', 'CDMX', null, 'mx']],
    ['Calle 7 # 2, Bogotá, Distrito Capital, CO', ['Calle 7 # 2', 'Bogotá', 'Distrito Capital', null, 'co']],
    ['Kai 3, Helsinki, Uusimaa, 00100, FI', ['Kai 3', 'Helsinki', 'Uusimaa', '00100', 'fi']],
    ['Oulu, Uusimaa, 00100, FI', [null, 'Oulu', 'Uusimaa', '00100', 'fi']],
    ['Hafenstraße, Hamburg 20095, DE', ['Hafenstraße', 'Hamburg', null, '20095', 'de']],
  ])('%s', (line, parts) => {
    expect(split(line)).toEqual(parts)
  })

  test('ends with a state and not a country, if the company is in a country with such states', () => {
    expect(split('Chicago, IL', { countries: ['US'] })).toEqual([null, 'Chicago', 'IL', null, 'us'])
    expect(split('Chicago, IL', { endsWithCountry: false })).toEqual([null, 'Chicago', 'IL', null, null])
    expect(split('Haifa, IL', { countries: ['IL', 'US'] })).toEqual([null, 'Haifa', null, null, 'il'])
  })

  test('is split at a known city, with or without a comma', () => {
    const known = { cities: ['Porto'] }
    expect(split('Quay 9 Porto, Norte 4050-297, PT', known)).toEqual(['Quay 9', 'Porto', 'Norte', '4050-297', 'pt'])
    expect(split('Rua do Ouro, Porto, PT', known)).toEqual(['Rua do Ouro', 'Porto', null, null, 'pt'])
  })

  test('made of parts without digits and a country loses none of them', () => {
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
