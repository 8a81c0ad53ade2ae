import { expect, test } from 'vitest'
import { enrichlayer, enrichlayerDefaultUrl } from '../../../src/providers/enrichlayer/enrichlayer.ts'
import { engineer, entrepreneur } from '../fixtures/enrichlayer-career.ts'
import { company, person, plainCompany, publicCompany } from '../fixtures/enrichlayer.ts'
import { expectSturdy } from '../mutations.ts'
import { expectDeclared, expectKnownPaths, expectValidProjection } from '../projection-rules.ts'
import { kindOf, sharedPayloads } from '../shared-payloads.ts'

const provider = enrichlayer({ url: enrichlayerDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const shared = (kind: string) =>
  [...sharedPayloads('enrichlayer')].flatMap(([file, payload]) => (kindOf(file) === kind ? [payload] : []))
const payloads = {
  people: [...[person, entrepreneur, engineer].map(bytes), ...shared('people')],
  companies: [...[company, plainCompany, publicCompany].map(bytes), ...shared('companies')],
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

test.each([[{}], [[]], ['text'], [null], [{ headline: 'Nobody' }], [{ code: 404, name: 42, description: 'None' }]])(
  'a payload that identifies nobody is refused: %j',
  (payload) => {
    expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  },
)

test('a person is not a company and a company not a person', () => {
  expect(() => provider.project('companies', bytes(person))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  expect(() => provider.project('people', bytes(company))).toThrow(expect.objectContaining({ kind: 'invalid' }))
})
