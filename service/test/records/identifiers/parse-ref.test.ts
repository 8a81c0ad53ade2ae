import { expect, test } from 'vitest'
import { parseRef } from '../../../src/records/identifiers/parse-ref.ts'

const hosts = ['people.example']

test.each([
  ['people', 'urn:example:Person-7'],
  ['companies', 'urn:example:Works'],
  ['companies', 'vitae-00ff00ff00ff00ff'],
] as const)('of %s, %s is a key in full and taken as it is', (kind, text) => {
  expect(parseRef(kind, text, hosts)).toEqual({ key: text })
})

test.each([
  ['people', 'vitae-00ff00ff00ff00ff'],
  ['companies', 'vitae-00ff00ff00ff00ff0'],
  ['companies', 'x-vitae-00ff00ff00ff00ff'],
  ['companies', 'vitae-00ff00ff00ff00fg'],
] as const)('of %s, %s is the slug that a caller would mean by it', (kind, value) => {
  expect(parseRef(kind, value, hosts)).toEqual({ identifier: { kind, type: 'slug', value } })
})

test('a URL is read with the hosts of the platform, and a URN is one from its start on', () => {
  expect(parseRef('people', 'https://people.example/in/ada', hosts).identifier?.value).toBe('ada')
  for (const kind of ['people', 'companies'] as const) {
    expect(() => parseRef(kind, 'https://linkedin.com/in/ada', hosts)).toThrow(/people\.example/)
    expect(() => parseRef(kind, 'x-urn:li:member:7', hosts)).toThrow(/_id must be/)
  }
})
