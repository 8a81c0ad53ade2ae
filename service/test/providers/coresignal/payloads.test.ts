import { expect, test } from 'vitest'
import { coresignal, coresignalDefaultUrl } from '../../../src/providers/coresignal/coresignal.ts'
import { founder, researcher } from '../fixtures/coresignal-career.ts'
import {
  base,
  clean,
  cleanWithLocations,
  multiSource,
  smallMultiSource,
  thinBase,
} from '../fixtures/coresignal-companies.ts'
import { person } from '../fixtures/coresignal.ts'
import { expectSturdy } from '../mutations.ts'
import { expectDeclared, expectKnownPaths, expectValidProjection } from '../projection-rules.ts'
import { kindOf, sharedPayloads } from '../shared-payloads.ts'

const provider = coresignal({ url: coresignalDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const shared = (kind: string) =>
  [...sharedPayloads('coresignal')].flatMap(([file, payload]) => (kindOf(file) === kind ? [payload] : []))
const companies = [multiSource, smallMultiSource, clean, cleanWithLocations, base, thinBase]
const payloads = {
  people: [...[person, researcher, founder].map(bytes), ...shared('people')],
  companies: [...companies.map(bytes), ...shared('companies')],
}

test.each(['people', 'companies'] as const)('all %s follow the contract and fill only declared fields', (kind) => {
  expectKnownPaths(kind, provider.supplies[kind])
  for (const payload of payloads[kind]) {
    const projection = provider.project(kind, payload)
    expectValidProjection(kind, projection)
    expectDeclared(provider, kind, projection)
    expect(projection.identity.derived).toBe(false)
    expect(projection.sourceUpdatedAt).toBeGreaterThan(Date.UTC(2025, 7))
  }
})

test.each(['people', 'companies'] as const)(
  'mutated payloads of %s become valid records, or are refused',
  { timeout: 300_000 },
  (kind) => expectSturdy(provider, kind, payloads[kind]),
)

test("no record contains the vendor's own ids", () => {
  for (const payload of payloads.people) {
    const raw = JSON.parse(new TextDecoder().decode(payload))
    const ids = [raw.id, ...raw.experience.map((row: { company_id: number | null }) => row.company_id)]
    const record = JSON.stringify(provider.project('people', payload).record)

    for (const id of ids.filter(Boolean)) expect(record).not.toContain(`"${id}"`)
  }
})

test.each([[{}], [[]], ['text'], [{ id: 5 }], [{ success: false, status_code: 404, error: '{"detail":"none"}' }]])(
  'a payload that identifies nobody is refused: %j',
  (payload) => {
    expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
    expect(() => provider.project('companies', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  },
)

test('a person is not a company and a company not a person', () => {
  expect(() => provider.project('companies', bytes(person))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  for (const company of [multiSource, clean, base]) {
    expect(() => provider.project('people', bytes(company))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  }
})
