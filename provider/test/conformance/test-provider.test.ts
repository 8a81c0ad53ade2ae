import { emptyPerson } from '@vitae/contract'
import { expect, test } from 'vitest'
import { testProvider } from '../../src/conformance/index.ts'
import {
  parseObject,
  personIdentity,
  type ProviderModule,
  readProviderModule,
  text,
  throwFaultOf,
  withDerivedIds,
} from '../../src/index.ts'

const supplies = { people: new Set(['member_urn', 'entity_urn', 'first_name']), companies: new Set<string>() }

/** A provider that keeps the agreement, except for the given changes. */
function moduleWith(changed: Partial<ReturnType<ProviderModule['create']>> = {}): ProviderModule {
  return {
    name: 'tiny',
    label: 'Tiny',
    defaultUrl: 'https://tiny.example',
    create: ({ url, key }) => ({
      name: 'tiny',
      supplies,
      projectionVersion: 1,
      ask: async (ask, send) => {
        const answer = await send({ method: 'GET', url: new URL(url), headers: { key } }, ask.signal)
        throwFaultOf('tiny', answer.status, answer)
        parseObject('tiny', answer.body, answer)
        return { outcome: answer.status === 404 ? 'not_found' : 'found', answer, cost: null }
      },
      project: (_kind, payload) => {
        const raw = parseObject('tiny', payload)
        const identity = personIdentity({ memberNumber: '5550100', slug: null, fallback: 'x' })
        return {
          record: withDerivedIds(
            { ...emptyPerson(), member_urn: identity.key, first_name: text(raw['first']) },
            identity,
          ),
          identity,
          sourceUpdatedAt: null,
        }
      },
      ...changed,
    }),
  }
}

const payloads = [
  { name: 'people/wren.json', kind: 'people' as const, body: new TextEncoder().encode('{"first":"Wren"}') },
]
const whatOf = async (module: ProviderModule) => (await testProvider(module, payloads)).findings.map(({ what }) => what)

test('a provider that keeps the agreement has no findings', async () => {
  expect(readProviderModule({ provider: moduleWith() })).toHaveProperty('module')
  expect(await testProvider(moduleWith(), payloads)).toMatchObject({
    findings: [],
    mapped: 1,
    refused: 0,
    mutations: 400,
  })
})

test.each<[string, Partial<ReturnType<ProviderModule['create']>>, string]>([
  [
    'fills what it does not declare',
    { supplies: { ...supplies, people: new Set(['member_urn', 'entity_urn']) } },
    'first_name is filled',
  ],
  ['declares what the contract lacks', { supplies: { ...supplies, companies: new Set(['nose']) } }, 'no field nose'],
  [
    'takes every answer for a record',
    {
      ask: async (ask, send) => ({
        outcome: 'found',
        answer: await send({ method: 'GET', url: new URL('https://conformance.example/'), headers: {} }, ask.signal),
        cost: null,
      }),
    },
    'a 401 is found',
  ],
  [
    'puts the key into the address',
    {
      ask: async (ask, send) => {
        await send(
          { method: 'GET', url: new URL('https://conformance.example/?k=conformance-key'), headers: {} },
          ask.signal,
        )
        throw new Error('no')
      },
    },
    'the key is in the address',
  ],
  [
    'breaks on a payload',
    {
      project: () => {
        throw new TypeError('x')
      },
    },
    'project threw a TypeError at test-provider.test.ts',
  ],
])('the test finds a provider that %s', async (_name, changed, finding) => {
  expect((await whatOf(moduleWith(changed))).join('\n')).toContain(finding)
})

test.each([
  [{}, 'it exports no object "provider"'],
  [{ provider: { ...moduleWith(), name: 'Tiny Data' } }, 'name is not 2 to 30'],
  [{ provider: { ...moduleWith(), defaultUrl: 'tiny' } }, 'defaultUrl is not'],
  [{ provider: { ...moduleWith(), create: () => ({ name: 'tiny' }) } }, 'supplies has no Set'],
])('an export that is no provider is refused in words', (exported, fault) => {
  expect(JSON.stringify(readProviderModule(exported))).toContain(JSON.stringify(fault).slice(1, -1))
})
