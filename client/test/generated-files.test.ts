import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generateClientFiles } from '../../scripts/generate-client-types.ts'
import { version } from '../src/calls/version.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

test.each(Object.entries(generateClientFiles()))('%s matches the contract', (name, text) => {
  // To fix: npm run generate
  expect(read(`src/${name}`)).toBe(text)
})

test('the client reports the version of its package', () => {
  expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(version)
})

test('the client has no runtime dependency', () => {
  const manifest = JSON.parse(read('package.json')) as object
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
})
