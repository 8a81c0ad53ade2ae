import type { Kind } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { providerRegistry, type ProviderName } from '../../../src/providers/registry.ts'
import { expectSturdy } from '../mutations.ts'
import { expectDeclared, expectKnownPaths, expectValidProjection } from '../projection-rules.ts'
import { kindOf, sharedPayloads } from '../shared-payloads.ts'
import { expectOneGroupPerCompany } from '../shown.ts'
import { bytes, goldenAnswers, goldenPayload } from './golden-answers.ts'

type Envelope = (answer: object) => unknown

const kinds = ['people', 'companies'] as const
const collected: Envelope = (data) => ({ success: true, data, status_code: 200 })

/** The forms in which a provider, or a collector of its answers, sends one answer. */
const envelopes: Record<ProviderName, Record<Kind, Envelope[]>> = {
  brightdata: {
    people: [(answer) => [answer], (answer) => `{"error":"x","error_code":"timeout"}\n${JSON.stringify(answer)}\n`],
    companies: [(answer) => [answer]],
  },
  coresignal: { people: [collected], companies: [collected] },
  enrichlayer: { people: [collected], companies: [collected] },
  harvestapi: {
    people: [(element) => ({ element, status: 200, cost: 4 }), (answer) => [{ ...answer, status: 200 }]],
    companies: [(element) => ({ element })],
  },
  peopledatalabs: {
    people: [(data) => ({ status: 200, likelihood: 9, data })],
    companies: [(answer) => ({ status: 200, likelihood: 9, ...answer })],
  },
}

/** Answers that identify nobody. */
const nobody: Record<ProviderName, unknown[]> = {
  brightdata: [[{ error: 'x', error_code: 'dead_page' }], '{"a":1}\n{"b"', { about: 'Nobody' }],
  coresignal: [{ id: 5 }, { success: false, status_code: 404, error: '{"detail":"none"}' }],
  enrichlayer: [null, { headline: 'Nobody' }],
  harvestapi: [{ element: null, entityId: 'x', status: 200 }, { error: 'boom' }, { headline: 'Nobody' }],
  peopledatalabs: [{ id: 'vendor' }, { status: 404, error: { type: 'not_found', message: 'none' } }],
}

describe.each(Object.keys(providerRegistry) as ProviderName[])('%s', (name) => {
  const { create, defaultUrl } = providerRegistry[name]
  const provider = create({ url: defaultUrl, key: 'secret-key' })
  const own = goldenAnswers(name).filter(({ base }) => base === null)
  const real = [...sharedPayloads(name)]
  const payloads = (kind: Kind) => [
    ...own.flatMap((answer) => (answer.kind === kind ? [bytes(answer.payload)] : [])),
    ...real.flatMap(([file, payload]) => (kindOf(file) === kind ? [payload] : [])),
  ]

  test.each(kinds)('maps %s to records that obey the contract, and fills only declared fields', (kind) => {
    expectKnownPaths(kind, provider.supplies[kind])
    for (const payload of payloads(kind)) {
      const projection = provider.project(kind, payload)
      expectValidProjection(kind, projection)
      expectDeclared(provider, kind, projection)
      if ('member_urn' in projection.record) expectOneGroupPerCompany(projection.record)
    }
  })

  test.each(kinds)('maps mutated payloads of %s to valid records, or refuses them', (kind) =>
    expectSturdy(provider, kind, payloads(kind)),
  )

  test.each(kinds)('maps %s the same way in every envelope', (kind) => {
    for (const { payload } of own.filter((answer) => answer.kind === kind))
      for (const wrap of envelopes[name][kind])
        expect(provider.project(kind, bytes(wrap(payload as object)))).toEqual(provider.project(kind, bytes(payload)))
  })

  test.each([{}, [], 'text', '"text"', ...nobody[name]])('refuses an answer that identifies nobody: %j', (payload) => {
    for (const kind of kinds)
      expect(() => provider.project(kind, bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  })
})

test.each([
  ['coresignal', 'companies', 'people', 'a person'],
  ['enrichlayer', 'companies', 'people', 'a person'],
  ['coresignal', 'people', 'companies', 'a company of the multi-source data set'],
  ['coresignal', 'people', 'companies', 'a company of the clean data set'],
  ['coresignal', 'people', 'companies', 'a company of the base data set'],
  ['enrichlayer', 'people', 'companies', 'a company'],
  ['peopledatalabs', 'people', 'companies', 'a company'],
] as const)('%s refuses one of %s whose answer is one of %s: %s', (name, asked, kind, of) => {
  const { create, defaultUrl } = providerRegistry[name]
  const payload = bytes(goldenPayload(name, kind, of))

  expect(() => create({ url: defaultUrl, key: 'secret-key' }).project(asked, payload)).toThrow(
    expect.objectContaining({ kind: 'invalid' }),
  )
})

test('enrichlayer refuses an error in place of a person', () => {
  const { create, defaultUrl } = providerRegistry.enrichlayer
  const error = bytes({ code: 404, name: 42, description: 'None' })

  expect(() => create({ url: defaultUrl, key: 'secret-key' }).project('people', error)).toThrow(
    expect.objectContaining({ kind: 'invalid' }),
  )
})

describe('a derived key', () => {
  const keyOf = (name: ProviderName, kind: Kind, payload: object) => {
    const { create, defaultUrl } = providerRegistry[name]
    return create({ url: defaultUrl, key: 'secret-key' }).project(kind, bytes(payload)).identity.key
  }

  test('depends on the slug in any case, and on no other field', () => {
    const person = goldenPayload('enrichlayer', 'people', 'a person')
    const company = {
      ...goldenPayload('coresignal', 'companies', 'a company of the multi-source data set'),
      source_id: null,
    }
    const slug = (public_identifier: string) => keyOf('enrichlayer', 'people', { ...person, public_identifier })

    expect(slug('wren-saltmarsh')).toBe(slug('Wren-Saltmarsh'))
    expect(slug('wren-saltmarsh')).not.toBe(slug('wren-saltmarsh-2'))
    expect(keyOf('coresignal', 'companies', { ...company, id: 1 })).toBe(keyOf('coresignal', 'companies', company))
  })

  test('depends on the opaque id if there is one, not on the slug', () => {
    const person = goldenPayload('harvestapi', 'people', 'a person')

    expect(keyOf('harvestapi', 'people', { ...person, publicIdentifier: 'moved' })).toBe(
      keyOf('harvestapi', 'people', person),
    )
  })

  test('of people with one name and no id differs', () => {
    expect(keyOf('harvestapi', 'people', { firstName: 'Sam', headline: 'Baker' })).not.toBe(
      keyOf('harvestapi', 'people', { firstName: 'Sam', headline: 'Butcher' }),
    )
  })
})
