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

/** Missing targets in a page: relative links, paths from the root, and file names in code marks. */
function missing(page: string, text: string, known: readonly string[]): string[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, '')
  const links = named(link, prose).filter((target) => !/^[a-z]+:/.test(target))
  // Code in a guide may create a file that does not exist yet.
  const paths = named(rooted, text.replaceAll(/```ts[\s\S]*?```/g, '')).filter(
    // Patterns, and the file that an operator creates.
    (path) => !/[*{]|\.env$/.test(path),
  )
  return [
    ...links.filter((target) => !leadsSomewhere(page, text, target)),
    ...paths.filter((path) => !isThere(path, known)),
    ...named(inCode, prose).filter((name) => !known.some((file) => `/${file}`.endsWith(`/${posix.normalize(name)}`))),
  ].map((name) => `${page}: ${name}`)
}

/** Whether a relative link points to a file, and its anchor to a heading there. */
function leadsSomewhere(page: string, text: string, target: string): boolean {
  const [path = '', anchor] = target.split('#', 2)
  const file = join(root, dirname(page), path)
  if (path !== '' && !existsSync(file)) return false
  if (anchor === undefined || !(path === '' || path.endsWith('.md'))) return true
  return anchorsOf(path === '' ? text : readFileSync(file, 'utf8')).has(anchor)
}

/** The anchors of a page, as GitHub builds them from its headings. A repeated heading gets a number. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const heading of named(/^#+ (.+)$/gm, text.replaceAll(/```[\s\S]*?```/g, ''))) {
    const words = heading.replaceAll(/\]\([^)]*\)/g, '').toLowerCase()
    const anchor = words.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
    let number = 0
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number += 1
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`)
  }
  return anchors
}

const named = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map((match) => match[1] ?? match[0])

function isThere(path: string, known: readonly string[]): boolean {
  const folder = path.replace(/\/$/, '')
  return known.some((file) => file === path || file.startsWith(`${folder}/`))
}

test.each(pages)('every file and folder that %s names exists', (page) => {
  expect(missing(page, readFileSync(join(root, page), 'utf8'), files)).toEqual([])
})

test('a missing link, path or file is found', () => {
  const text =
    '# Here\n[a](gone.md) [b](README.md#figures) [c](#here) [d](#gone) service/src/gone/ service/src `gone/file.ts` `repository/docs.test.ts`'

  const found = missing('README.md', text, files).map((line) => line.replace('README.md: ', ''))

  expect(found).toEqual(['gone.md', '#gone', 'service/src/gone/', 'gone/file.ts'])
})

test('files that a reader of the guides creates in the checkout are ignored by git, lint and format', () => {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n')
  const made = globSync('docs/guides/*.md', { cwd: root }).flatMap((guide) =>
    named(/(?: > |--out |cat > )([\w-]+\.[a-z]+)\b(?!\/)/g, readFileSync(join(root, guide), 'utf8')),
  )

  expect(made).toEqual(expect.arrayContaining(['first.ts', 'leads.csv', 'leads-enriched.csv']))
  expect(made.filter((name) => !ignored.includes(`/${name}`))).toEqual([])
})
