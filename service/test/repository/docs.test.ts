import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const folders = readdirSync(root, { withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.') && !/^(node_modules|dist|data)$/.test(entry.name),
  )
  .map(({ name }) => name)
const files = folders
  .flatMap((folder) =>
    globSync(`${folder}/**/*.*`, { cwd: root, exclude: (name) => /node_modules|\bdist\b/.test(name) }),
  )
  .concat(readdirSync(root))
const pages = files.filter((file) => file.endsWith('.md'))

const link = /\]\(([^)\s]+)\)/g
const rooted = new RegExp(`(?<![\\w./@-])(?:${folders.join('|')})/[\\w./*{},-]*[\\w/*]`, 'g')
const inCode = /`([\w./-]+\.(?:ts|tsx|js|lua|md|yaml))`/g

/** What a page names that is not there: relative links, paths from the root, and files in code marks by the end of their path. */
function missing(page: string, text: string, known: readonly string[]): string[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, '')
  const links = named(link, prose).filter((target) => !/^([a-z]+:|#)/.test(target))
  // Code in a guide may make a file that is not there yet.
  const paths = named(rooted, text.replaceAll(/```ts[\s\S]*?```/g, '')).filter(
    // Patterns, and the file that an operator makes.
    (path) => !/[*{]|\.env$/.test(path),
  )
  return [
    ...links.filter((target) => !existsSync(join(root, dirname(page), target.replace(/#.*/, '')))),
    ...paths.filter((path) => !isThere(path, known)),
    ...named(inCode, prose).filter((name) => !known.some((file) => `/${file}`.endsWith(`/${posix.normalize(name)}`))),
  ].map((name) => `${page}: ${name}`)
}

const named = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map((match) => match[1] ?? match[0])

function isThere(path: string, known: readonly string[]): boolean {
  const folder = path.replace(/\/$/, '')
  return known.some((file) => file === path || file.startsWith(`${folder}/`))
}

test.each(pages)('every file and folder that %s names exists', (page) => {
  expect(missing(page, readFileSync(join(root, page), 'utf8'), files)).toEqual([])
})

test('a link, a path and a file that do not exist are found', () => {
  const text =
    '[a](gone.md) [b](README.md#there) service/src/gone/ service/src `gone/file.ts` `repository/docs.test.ts`'

  const found = missing('README.md', text, files).map((line) => line.replace('README.md: ', ''))

  expect(found).toEqual(['gone.md', 'service/src/gone/', 'gone/file.ts'])
})

test('what a reader makes in the checkout by following the guides is ignored by git, and so by lint and format', () => {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n')
  const made = globSync('docs/guides/*.md', { cwd: root }).flatMap((guide) =>
    named(/(?: > |--out |cat > )([\w-]+\.[a-z]+)\b(?!\/)/g, readFileSync(join(root, guide), 'utf8')),
  )

  expect(made).toEqual(expect.arrayContaining(['first.ts', 'leads.csv', 'leads-enriched.csv']))
  expect(made.filter((name) => !ignored.includes(`/${name}`))).toEqual([])
})
