import { testProvider } from '@vitae/provider/conformance'
import { expect, test } from 'vitest'
import { providerRegistry } from '../../../src/providers/registry.ts'
import { shippedNames } from '../../../src/providers/shipped-files.ts'
import { bytes, goldenAnswers, goldenNames, mappedNow, moduleOf, providerOf } from './golden-answers.ts'

const names = [...Object.keys(providerRegistry), ...shippedNames()].sort()
/** Of each payload. `npm run test:long` tries as many as `vitae provider test`. */
const mutations = process.env['VITAE_TEST_LONG'] ? 400 : 100
const answers = goldenNames().flatMap(goldenAnswers)

test('every provider that Vitae ships has golden answers, and nobody else has', () => {
  expect(goldenNames()).toEqual(names)
})

test.each(answers)('$provider, $kind: $name', (answer) => {
  const { record, identity, sourceUpdatedAt, unsaid } = answer.stored

  expect(mappedNow(providerOf(answer.provider), answer), 'if the change is right: npm run golden').toEqual({
    record,
    identity,
    sourceUpdatedAt,
    unsaid,
  })
})

test.each(names)('%s keeps the agreement of providers, even for mutated payloads', async (name) => {
  const all = goldenAnswers(name)
  // The first answer of a kind has all its fields; `properties.test.ts` mutates the others.
  const own = all.filter(({ kind }, at) => all.findIndex((other) => other.kind === kind) === at)
  const payloads = own.map(({ name: of, kind, payload }) => ({ name: of, kind, body: bytes(payload) }))

  const { findings, mapped } = await testProvider(moduleOf(name), payloads, undefined, mutations)

  expect({ findings, mapped }).toEqual({ findings: [], mapped: own.length })
})
