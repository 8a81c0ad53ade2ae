import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const found = (pattern: string) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
const sources = [
  ...found('{contract,provider,service,client,cli,console}/src/**/*.{ts,tsx}'),
  ...found('scripts/**/*.ts'),
].filter((file) => !file.endsWith('.generated.ts'))

/** The recipes that follow an example: its name, and the files that are listed, of which one may stand for many. */
const recipes = text('CONTRIBUTING.md')
  .split(/^##+ /m)
  .flatMap((section) => {
    const [, title, example] = /^(.+)\n\nAs `(.+)`:\n/.exec(section) ?? []
    const listed = Array.from(section.matchAll(/^- `([^`]+)`/gm), ([, path = '']) => path)
    return title !== undefined && example !== undefined ? [{ title, example, listed }] : []
  })

/** How many files one more of each may take by hand. */
const atMost: Record<string, number> = { 'A person field': 8, 'An event type': 5, 'An admin route': 3 }

test('CONTRIBUTING has the recipes', () => {
  expect(recipes.map(({ title }) => title)).toEqual(Object.keys(atMost))
})

test.each(recipes)('$title needs the files that its recipe lists, and no other', ({ title, example, listed }) => {
  const names = new RegExp(`\\b${example.replace('.', String.raw`\.`)}\\b`)
  const listedFiles = listed.flatMap((pattern) => found(pattern))
  const naming = sources.filter((file) => names.test(text(file)))

  expect(naming.filter((file) => !listedFiles.includes(file))).toEqual([])
  expect(listed.filter((pattern) => !found(pattern).some((file) => names.test(text(file))))).toEqual([])
  expect(listed.length).toBeLessThanOrEqual(atMost[title] ?? 0)
})
