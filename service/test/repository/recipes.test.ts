import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const found = (pattern: string) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
const sources = [
  ...found('{contract,provider,service,client,cli,console}/src/**/*.{ts,tsx}'),
  ...found('scripts/**/*.ts'),
].filter((file) => !/\.generated\.ts$|packing\/dictionary\.ts$/.test(file))

/** The recipes with an example: its name, and the listed files; one name may stand for many files. */
const recipes = text('CONTRIBUTING.md')
  .split(/^##+ /m)
  .flatMap((section) => {
    const [, title, example] = /^(.+)\n\nAs `(.+)`:\n/.exec(section) ?? []
    const listed = Array.from(section.matchAll(/^- `([^`]+)`/gm), ([, path = '']) => path)
    return title !== undefined && example !== undefined ? [{ title, example, listed }] : []
  })

/** The maximum number of hand-edited files for each. */
const atMost: Record<string, number> = {
  'A person field': 8,
  'An event type': 5,
  'A public operation': 4,
  'An admin route': 2,
  'A field of an admin answer': 2,
  'A plain command': 1,
}

test('CONTRIBUTING has the recipes', () => {
  expect(recipes.map(({ title }) => title)).toEqual(Object.keys(atMost))
})

test('A price rule needs the files of its recipe: no other file lists all match facts or writes out a price question', () => {
  const section = /^### A price rule\n(.*?)^### /ms.exec(text('CONTRIBUTING.md'))?.[1] ?? ''
  const listed = Array.from(section.matchAll(/^- `([^`]+)`/gm), ([, path = '']) => path)
  const elsewhere = [...sources, ...found('docs/guides/*.md')].filter((file) => !listed.includes(file))
  const allMatchers = /\bthin\W{1,8}bypass\W{1,8}changed\b/
  const ask = /\{[^{}.]*\bbypass\b[^{}]*\bproject\b[^{}]*\binclude\b[^{}]*\}/
  const end = /\{[^{}.]*\bthin\b[^{}]*\bchanged\b[^{}]*\bhas\b[^{}]*\}/

  expect(listed.filter((file) => !existsSync(join(root, file)))).toEqual([])
  expect(elsewhere.filter((file) => [allMatchers, ask, end].some((one) => one.test(text(file))))).toEqual([])
  expect(listed.length).toBeLessThanOrEqual(6)
})

test.each(recipes)('$title needs exactly the files of its recipe', ({ title, example, listed }) => {
  // The service may name a field of an answer in camel case.
  const inCode = example.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
  const names = new RegExp(`\\b(${[example, inCode].map((name) => name.replace('.', String.raw`\.`)).join('|')})\\b`)
  const listedFiles = listed.flatMap((pattern) => found(pattern))
  const naming = sources.filter((file) => names.test(text(file)))

  expect(naming.filter((file) => !listedFiles.includes(file))).toEqual([])
  expect(listed.filter((pattern) => !found(pattern).some((file) => names.test(text(file))))).toEqual([])
  expect(listed.length).toBeLessThanOrEqual(atMost[title] ?? 0)
})
