import { expect, test } from 'vitest'
import { harvestapi, harvestapiDefaultUrl } from '../../../src/providers/harvestapi/harvestapi.ts'
import { career } from '../fixtures/harvestapi-career.ts'
import { company, person, publicCompany } from '../fixtures/harvestapi.ts'
import { expectSturdy } from '../mutations.ts'
import { expectDeclared, expectKnownPaths, expectValidProjection } from '../projection-rules.ts'
import { kindOf, sharedPayloads } from '../shared-payloads.ts'

const provider = harvestapi({ url: harvestapiDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const shared = (kind: string) =>
  [...sharedPayloads('harvestapi')].flatMap(([file, payload]) => (kindOf(file) === kind ? [payload] : []))
const payloads = {
  people: [...[person, { element: person }, career].map(bytes), ...shared('people')],
  companies: [...[company, { element: company }, publicCompany].map(bytes), ...shared('companies')],
}

test.each(['people', 'companies'] as const)('all %s follow the contract and fill only declared fields', (kind) => {
  expectKnownPaths(kind, provider.supplies[kind])
  for (const payload of payloads[kind]) {
    const projection = provider.project(kind, payload)
    expectValidProjection(kind, projection)
    expectDeclared(provider, kind, projection)
  }
})

test.each(['people', 'companies'] as const)(
  'mutated payloads of %s become valid records, or are refused',
  { timeout: 300_000 },
  (kind) => expectSturdy(provider, kind, payloads[kind]),
)

test.each([
  [{}],
  [{ element: null, entityId: 'x', status: 200 }],
  [{ error: 'boom' }],
  [[]],
  ['text'],
  [{ headline: 'Nobody' }],
])('a payload that identifies nobody is refused: %j', (payload) => {
  expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  expect(() => provider.project('companies', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
})

test('people with one name and no id have different derived keys', () => {
  const one = provider.project('people', bytes({ firstName: 'Sam', headline: 'Baker' })).identity
  const two = provider.project('people', bytes({ firstName: 'Sam', headline: 'Butcher' })).identity

  expect(one.derived).toBe(true)
  expect(one.key).not.toBe(two.key)
})
