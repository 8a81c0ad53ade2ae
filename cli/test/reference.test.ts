import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generateReference } from '../../scripts/generate-reference.ts'

test('the reference is what the program and the documents say now: npm run generate', () => {
  const folder = join(import.meta.dirname, '../../docs/reference')

  const pages = generateReference()

  expect(Object.keys(pages)).toEqual([
    ...['cli.md', 'api.md', 'admin-api.md', 'vitae.postman_collection.json'],
    ...['../../service/providers/provider-file.schema.json', '../guides/provider-files.md'],
  ])
  for (const [name, text] of Object.entries(pages)) expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
})
