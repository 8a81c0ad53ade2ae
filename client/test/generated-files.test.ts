import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generateClientFiles } from '../../scripts/generate-client-types.ts'
import { version } from '../src/version.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

test.each(Object.entries(generateClientFiles()))('%s is what the contract says today', (name, text) => {
  // Mended by: npm run generate
  expect(read(`src/${name}`)).toBe(text)
})

test('the client names itself by the version of its package', () => {
  expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(version)
})

test('the client depends on nothing at run time', () => {
  const manifest = JSON.parse(read('package.json')) as object
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
})
