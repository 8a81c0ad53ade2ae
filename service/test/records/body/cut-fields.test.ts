import { Person } from '@vitae/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutBody, serialiseRecord } from '../../../src/records/body/record-bytes.ts'
import { contractPerson } from '../../../fake-provider/contract-person.ts'

const names = Object.keys(Person.properties)

test('for any texts in a record, cutting fields equals parsing and writing the whole body', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('"', '\\', '\\"', '","headline":"', '}', ']', '{', '\\\\"', '\u2028', '},"skills":['),
  )
  const property = fc.property(
    fc.array(text, { maxLength: 3 }),
    text,
    fc.subarray(names, { minLength: 1 }),
    fc.boolean(),
    (skills, words, chosen, contact) => {
      const record = { ...contractPerson('ada'), headline: words, summary: null, skills, websites: skills }
      const asked = { contact, network: false, verifications: false }
      const ready = serialiseRecord('people', record as never)

      const whole = JSON.parse(cutBody(ready, asked).toBuffer().toString()) as Record<string, unknown>
      const cut = cutBody(ready, asked, chosen)
      const expected = JSON.stringify(Object.fromEntries(chosen.map((name) => [name, whole[name]])))

      expect(cut.toBuffer().toString()).toBe(expected)
      expect(cut.byteLength).toBe(cut.toBuffer().byteLength)
    },
  )
  fc.assert(property, { numRuns: 300 })
})
