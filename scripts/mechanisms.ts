/**
 * Counts what a maintainer has to know, at an earlier commit and now: `npm run mechanisms [-- REF] [--json]`. A row of
 * the table whose mark is nowhere in the sources is gone. A mark that moved to another file fails the run.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { mechanisms, sqlWays, type Row } from './mechanism-table.ts'

type Tree = Map<string, string>
const root = join(import.meta.dirname, '..')
const counted = ['service/src', 'cli/src', 'docs/reference', '.env.example']
const before = process.argv.slice(2).find((word) => !word.startsWith('-')) ?? '5d29db07'

const [old, now] = [treeAt(before), treeOf(root)]
const moved = movedRows(now)
const kinds = { ...mechanisms, 'ways to run SQL': sqlWays }
const names = Object.entries(kinds).map(([kind, rows]) => ({ kind, ...compared(rows) }))
const [oldFacts, newFacts] = [factsOf(old), factsOf(now)]
const facts = Object.keys({ ...oldFacts, ...newFacts }).map((what) => ({
  what,
  before: oldFacts[what] ?? 0,
  after: newFacts[what] ?? 0,
}))
if (process.argv.includes('--json')) console.log(JSON.stringify({ before, names, facts, moved }, null, 2))
else print()
if (moved.length > 0) process.exitCode = 1

function print(): void {
  for (const { kind, existing, gone, added } of names) {
    console.log(`${kind}: ${existing.length + gone.length - added.length} -> ${existing.length}`)
    console.log(`  ${existing.join(', ')}`)
    if (gone.length > 0) console.log(`  gone: ${gone.join(', ')}`)
  }
  for (const fact of facts) console.log(`${fact.what}: ${fact.before} -> ${fact.after}`)
  for (const line of moved) console.error(line)
}

function compared(rows: readonly Row[]) {
  const there = (tree: Tree) => rows.filter((row) => exists(tree, row)).map(([name]) => name)
  const [was, is] = [there(old), there(now)]
  return {
    existing: is,
    gone: was.filter((name) => !is.includes(name)),
    added: is.filter((name) => !was.includes(name)),
  }
}

/** At the earlier commit a mechanism may stand in another file. */
function exists(tree: Tree, [, file, mark]: Row): boolean {
  if (tree === now) return tree.get(`service/src/${file}`)?.includes(mark) ?? false
  return [...tree.values()].some((text) => text.includes(mark))
}

function movedRows(tree: Tree): string[] {
  const missing = [...Object.values(mechanisms), sqlWays].flat().filter((row) => !exists(tree, row))
  return missing.flatMap(([name, file, mark]) => {
    const found = [...tree].find(([path, text]) => path.startsWith('service/src/') && text.includes(mark))
    return found ? [`${name} is not in ${file} but in ${found[0]}: correct the table`] : []
  })
}

function factsOf(tree: Tree): Record<string, number> {
  const count = (rows: readonly Row[]) => rows.filter((row) => exists(tree, row)).length
  const service = [...tree].filter(([path]) => path.startsWith('service/src/'))
  const outside = service.filter(([path]) => !path.startsWith('service/src/database/')).map(([, text]) => text)
  const matches = (texts: string[], pattern: RegExp) =>
    texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0)
  const folders = Map.groupBy(
    [...tree].filter(([path]) => path.endsWith('.ts')),
    ([path]) =>
      path
        .split('/')
        .slice(0, path.startsWith('cli/') ? 2 : 3)
        .join('/'),
  )
  const { upwards, mutual } = importsInside(tree)
  const waits = tree.get('docs/reference/where-a-call-waits.md')?.split('\n') ?? []
  return {
    mechanisms: Object.values(mechanisms).reduce((sum, rows) => sum + count(rows), 0),
    'lease schemes': count(
      Object.values(mechanisms)
        .flat()
        .filter(([name]) => name.endsWith('*')),
    ),
    'waiting places': waits.filter((line) => /^\| (?!place \|)/.test(line)).length,
    'dialect branches outside database/': matches(outside, /(dialect|lock|kind)(\.name)? [!=]== '(postgres|sqlite)'/g),
    'imports of a parent folder, inside a folder': upwards,
    'pairs of folders that import each other, inside a folder': mutual,
    'store operations': matches(
      service.map(([, text]) => text),
      /^ {2}\w+: (read|report|single|write|shared|long)[<(]/gm,
    ),
    'subjects of the store': matches(
      [tree.get('service/src/app/store/operations.ts') ?? ''],
      /^ {2}\w+: \w+Operations,/gm,
    ),
    settings: matches([tree.get('.env.example') ?? ''], /^#? ?[A-Z][A-Z_0-9]+=/gm),
    'lines of service/src': linesIn(service),
    ...Object.fromEntries([...folders].map(([folder, files]) => [`lines of ${folder}`, linesIn(files)])),
  }
}

function linesIn(files: readonly (readonly [path: string, text: string])[]): number {
  const sources = files.filter(([path]) => path.endsWith('.ts'))
  return sources.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0)
}

/** Imports of files in a parent folder, and pairs of folders that import each other, inside a folder of `service/src`. */
function importsInside(tree: Tree): { upwards: number; mutual: number } {
  const all = [...tree].flatMap(([path, text]) =>
    [...text.matchAll(/(?:from|import\() ?'(\.\.?\/[^']+)'/g)].map((found) => ({
      from: dirname(path),
      to: dirname(posix.join(dirname(path), found[1] ?? '')),
    })),
  )
  const inside = all.filter(({ from, to }) => /^service\/src\/\w/.test(to) && topOf(from) === topOf(to) && from !== to)
  const pairs = new Set(inside.map(({ from, to }) => `${from} ${to}`))
  return {
    upwards: inside.filter(({ from, to }) => from.startsWith(`${to}/`)).length,
    mutual: [...pairs].filter((pair) => pairs.has(pair.split(' ').reverse().join(' '))).length / 2,
  }
}

function topOf(folder: string): string {
  return folder.split('/').slice(0, 3).join('/')
}

function treeAt(ref: string): Tree {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-mechanisms-'))
  try {
    const archive = execFileSync('git', ['archive', ref, ...counted], { cwd: root, maxBuffer: 2 ** 28 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    return treeOf(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function treeOf(folder: string): Tree {
  const paths = counted.flatMap((each) => globSync(each.includes('/') ? `${each}/**/*.{ts,md}` : each, { cwd: folder }))
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}
