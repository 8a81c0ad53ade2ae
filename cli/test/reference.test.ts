import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adminOperations } from '../../contract/src/admin/index.ts'
import { publicOperations } from '../../contract/src/index.ts'
import { generateReference } from '../../scripts/generate-reference.ts'

test('the reference matches the program and the documents: npm run generate', () => {
  const folder = join(import.meta.dirname, '../../docs/reference')

  const pages = generateReference()

  expect(Object.keys(pages)).toEqual([
    ...['cli.md', 'api.md', 'admin-api.md', 'vitae.postman_collection.json'],
    ...['../../service/providers/provider-file.schema.json', 'providers.md', '../../README.md'],
    '../guides/provider-files.md',
  ])
  for (const [name, text] of Object.entries(pages)) expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
})

test('every operation of both APIs is on a page of the reference', () => {
  const pages = generateReference()
  const headingOf = (base: string, { route }: { route: string }) =>
    `\n### ${route.replace(' ', ` ${base}`).replaceAll(/:(\w+)/g, '{$1}')}\n`
  const headings = [
    ...Object.values(publicOperations).map((row) => ['api.md', headingOf('', row)]),
    ...Object.values<{ route: string }>(adminOperations).map((row) => ['admin-api.md', headingOf('/admin/v1', row)]),
  ]

  const missing = headings.filter(([page = '', heading = '']) => !pages[page]?.includes(heading))

  expect(missing).toEqual([])
  expect(headings.length).toBeGreaterThan(120)
})
