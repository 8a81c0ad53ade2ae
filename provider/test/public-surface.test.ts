import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const [, first = '', second = '', third = ''] = readFileSync(join(root, 'README.md'), 'utf8').split(/^### .*$/m)

/** The names in backticks after each file name. */
function listed(section: string): string[] {
  const lines = section.split('\n').filter((line) => line.startsWith('- `'))
  return lines.flatMap((line) =>
    Array.from(line.slice(line.indexOf(':')).matchAll(/`(\w+)`/g), ([, name = '']) => name),
  )
}

/** Includes types, which are as public as functions. */
function exported(path: string): string[] {
  const code = readFileSync(join(root, path), 'utf8')
  expect(code).not.toMatch(/export \*|^export (?!\{)/m)
  const lists = Array.from(code.matchAll(/^export \{([^}]*)\}/gm), ([, names = '']) => names)
  return lists.flatMap((names) => names.split(',').map((name) => name.trim().replace(/^type /, ''))).filter(Boolean)
}

test.each([
  ['src/index.ts', first],
  ['src/conformance/index.ts', second],
  ['src/files/index.ts', third],
])('%s exports exactly the names in the README', (path, section) => {
  expect(listed(section).toSorted()).toEqual(exported(path).toSorted())
})
