import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cutPaths } from '@vitae/provider'
import { expect, test } from 'vitest'
import { shippedNames, shippedPath } from '../../../src/providers/shipped-files.ts'
import { bytes, goldenAnswers, providerOf } from '../golden/golden-answers.ts'

test.each(shippedNames())('the file of %s has an answer for each of its kinds, and at most 150 lines', (name) => {
  const { asks, matchesBy } = providerOf(name)
  const asked = (['people', 'companies'] as const).filter(
    (kind) => (asks?.[kind]?.length ?? 0) + (matchesBy?.[kind]?.length ?? 0) > 0,
  )

  expect(goldenAnswers(name).map(({ kind }) => kind)).toEqual(asked)
  expect(readFileSync(shippedPath(name), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

test('language, compiler and checks of provider files have at most 1,500 lines', () => {
  const folder = join(import.meta.dirname, '../../../../provider/src/files')
  const lines = readdirSync(folder).flatMap((name) =>
    name.endsWith('.ts') ? readFileSync(join(folder, name), 'utf8').trimEnd().split('\n') : [],
  )

  expect(lines.length).toBeLessThanOrEqual(1_500)
})

// "Basil Otherwise" stands in the answers wherever a vendor sends someone else's data along.
test.each(['scrapin', 'apollo', 'contactout', 'hunter'])('nobody else in an answer of %s is stored', (name) => {
  const provider = providerOf(name)
  const others = goldenAnswers(name).filter((one) => /basil/i.test(JSON.stringify(one.payload)))

  expect(others).not.toEqual([])
  for (const { kind, payload } of others) {
    expect(JSON.stringify(provider.project(kind, bytes(payload)).record)).not.toMatch(/basil/i)
    expect(new TextDecoder().decode(cutPaths(bytes(payload), provider.neverStore ?? []).body)).not.toMatch(/basil/i)
  }
})
