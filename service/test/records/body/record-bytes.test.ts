import {
  type Company,
  inContractOrder,
  Person,
  personParts,
  type PersonPart,
  emptyContact,
  emptyVerifications,
} from '@vitae/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sampleCompany } from '../../../src/samples/sample-company.ts'
import { samplePerson } from '../../../src/samples/sample-answer.ts'
import { cutBody, serialiseRecord } from '../../../src/records/body/record-bytes.ts'

const partNames = Object.keys(personParts) as PersonPart[]
const combinations = Array.from({ length: 8 }, (_, bits) => ({
  contact: (bits & 1) !== 0,
  network: (bits & 2) !== 0,
  verifications: (bits & 4) !== 0,
}))

const text = fc.oneof(fc.constant(null), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
const slug = fc.oneof(fc.constant('sample-complete'), fc.constant('sample-sparse'), fc.stringMatching(/^[a-z]{1,12}$/))

/** A valid person with any text, including lone surrogates and JSON-like text, around and in the parts. */
const persons = fc
  .record({ slug, headline: text, summary: text, address: text, email_address: text, joined_date: text })
  .map(({ slug: value, headline, summary, address, email_address: email, joined_date: joined }): Person => {
    const person = samplePerson({ kind: 'people', type: 'slug', value })
    const { contact_info: contact, verifications } = person
    return {
      ...person,
      headline,
      summary,
      verifications: verifications && { ...verifications, joined_date: joined },
      contact_info: contact && { ...contact, email_address: email, address },
    }
  })

function blanked(person: Person, asked: Record<PersonPart, boolean>): Person {
  const gone = partNames.filter((part) => !asked[part]).map((part) => [personParts[part], null])
  const wanted = {
    ...person,
    verifications: person.verifications ?? emptyVerifications(),
    contact_info: person.contact_info ?? emptyContact(),
  }
  return { ...wanted, ...Object.fromEntries(gone) }
}

/** The same value with the keys of every object reversed. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

describe('people', () => {
  test('every variant is byte for byte the JSON of the record with the other parts blanked', () => {
    fc.assert(
      fc.property(persons, (person) => {
        const { body, parts } = serialiseRecord('people', person)
        const kept = JSON.parse(JSON.stringify(parts)) as typeof parts
        for (const asked of combinations) {
          const expected = Buffer.from(JSON.stringify(blanked(person, asked)))
          const cut = cutBody({ body, parts: kept }, asked)
          expect(cut.toBuffer().equals(expected)).toBe(true)
          expect(cut.byteLength).toBe(expected.byteLength)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('a part is found even if a free value before it has a field of the same name', () => {
    const person = samplePerson({ kind: 'people', type: 'slug', value: 'sample-complete' })
    const items = [{ first: 1, contact_info: null, 'x,"contact_info': { contact_info: 'é' } }]
    const verifications = { is_verified: true, joined_date: null, sections: [{ title: ',"contact_info":', items }] }
    const { body, parts } = serialiseRecord('people', { ...person, verifications })
    const [start = 0, end = 0] = parts.contact ?? []
    expect(body.toString('utf8', start, end)).toBe(JSON.stringify(person.contact_info))
  })

  test('the offsets are small', () => {
    const { parts } = serialiseRecord('people', samplePerson({ kind: 'people', type: 'slug', value: 'ada' }))
    expect(JSON.stringify(parts).length).toBeLessThan(100)
  })

  test('a record with its keys in any order is written in contract order', () => {
    const person = samplePerson({ kind: 'people', type: 'slug', value: 'sample-complete' })
    const { body } = serialiseRecord('people', reversed(person) as Person)
    const ordered = JSON.parse(body.toString()) as Person
    expect(Object.keys(ordered)).toEqual(Object.keys(Person.properties))
    expect(Object.keys(ordered.contact_info ?? {})).toEqual(Object.keys(person.contact_info ?? {}))
    expect(Object.keys(ordered.experience[0]?.positions[0] ?? {})).toEqual([
      'title',
      'description',
      'location_name',
      'employment_type',
      'date_range',
    ])
    expect(ordered).toEqual(person)
  })
})

describe('companies', () => {
  test('have one variant, the body itself', () => {
    const company = sampleCompany({ kind: 'companies', type: 'slug', value: 'sample-funded' })
    const { body, parts } = serialiseRecord('companies', company)
    expect(body.toString()).toBe(JSON.stringify(company))
    expect(parts).toEqual({})
    for (const asked of combinations) expect(cutBody({ body, parts }, asked).toBuffer()).toBe(body)
  })

  test('are written in contract order', () => {
    const company = sampleCompany({ kind: 'companies', type: 'slug', value: 'sample-complete' })
    const { body } = serialiseRecord('companies', reversed(company) as Company)
    expect(body.toString()).toBe(JSON.stringify(company))
  })
})

test('a value without a contract shape keeps its own order', () => {
  const unknown = { b: 1, a: [{ d: 1, c: 2 }] }
  const phones = Person.properties.contact_info
  const contact = { email_address: null, phone_numbers: [unknown] }
  expect(JSON.stringify(inContractOrder(phones)(contact))).toContain(JSON.stringify(unknown))
})
