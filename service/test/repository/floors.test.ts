import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'

interface SourceFile {
  /** Relative to `service/src`, with forward slashes. */
  path: string
  text: string
}

/** From the top down. A folder may import only lower floors. Files directly in `src` are `main`. */
const order: string[][] = [
  ['main'],
  ['app'],
  ['http'],
  ['operators'],
  ['batches', 'watches', 'mcp', 'own-calls'],
  ['lookup', 'lifecycle'],
  ['config'],
  ['accounts', 'credits', 'records', 'providers'],
  ['events'],
  ['work'],
  ['cluster', 'audit'],
  ['samples', 'database'],
  ['foundation'],
]
const floors = new Map(
  order.toReversed().flatMap((folders, floor) => folders.map((folder) => [folder, floor] as const)),
)

/** Things that may be used only in some places. The lock of the data folder is an SQLite lock, hence its place here. */
const confined: { what: string; uses: (file: Facts) => boolean; where: RegExp }[] = [
  { what: 'fastify', uses: imports(/^(fastify|@fastify\/.+|@scalar\/fastify.+)$/), where: /^http\// },
  { what: 'the environment', uses: says(/\bprocess\.env\b|\benv\b[^'"\n]*from 'node:process'/), where: /^config\// },
  {
    what: 'a database driver',
    uses: imports(/^(node:sqlite|pg)$/),
    where: /^(database\/|foundation\/data-folder\.ts$)|(operations|store)[^/]*$/,
  },
  {
    what: 'kysely',
    uses: imports(/^kysely(\/.+)?$/),
    where:
      /^(database|audit|cluster|work|events|accounts|credits|records|providers|lifecycle|(batches|watches)\/store)\//,
  },
  {
    // The dialect is an object with methods (decision 91).
    what: 'the name of the SQL engine',
    uses: says(/\bdialect\.name\b|\b(dialect|lock)\s*[!=]==?\s|[!=]==?\s*'(postgres|sqlite)'/),
    where: /^database\//,
  },
  {
    // It is large, so only lazily loaded code may import it.
    what: 'the SDK of the Model Context Protocol',
    uses: imports(/^@modelcontextprotocol\//),
    where: /^mcp\/(answer-mcp|build-server|serve-stdio)\.ts$/,
  },
  { what: 'a length of a day of its own', uses: says(/\b86_?400_?000\b/), where: /^database\/migrations\// },
  { what: 'the system clock', uses: says(/\bDate\.now\b|\bnew Date\(\s*\)/), where: /^foundation\/clock\.ts$/ },
  {
    // Reading all its exports loads an HTTP client; `process.getBuiltinModule` reads single ones.
    what: 'an import of node:http, which takes long at every start',
    uses: says(/^import (?!type\b)[^\n]* from 'node:http'/m),
    where: /^$/,
  },
  {
    what: 'another workspace than the contract and the provider kit',
    uses: imports(/^@vitae\/(?!(contract(\/(admin|csv))?|provider(\/files)?)$)/),
    where: /^$/,
  },
  {
    // So that each provider could be a separate package, like external ones.
    what: 'more of ours than the contract and the provider kit',
    uses: imports(/^\.\.\//),
    where: /^(?!providers\/(harvestapi|enrichlayer|brightdata|coresignal|peopledatalabs)\/)/,
  },
]

interface Facts {
  code: string
  specifiers: string[]
}

function imports(name: RegExp): (file: Facts) => boolean {
  return (file) => file.specifiers.some((specifier) => name.test(specifier))
}

function says(words: RegExp): (file: Facts) => boolean {
  return (file) => words.test(file.code)
}

/** Every violation of the rules in these files, one line each. */
function violations(files: SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const facts = read(text)
    const escapes = confined.filter((rule) => !rule.where.test(path) && rule.uses(facts))
    if (!floors.has(folderOf(path))) return [`${path} stands on no floor`]
    return [
      ...facts.specifiers.flatMap((specifier) => wrongImport(path, specifier) ?? []),
      ...escapes.map((rule) => `${path} uses ${rule.what}`),
    ]
  })
}

function wrongImport(path: string, specifier: string): string | null {
  if (!specifier.startsWith('.') || specifier === '../package.json') return null
  const target = posix.join(posix.dirname(path), specifier)
  if (target.startsWith('..')) return `${path} reaches out of the service for ${specifier}`
  const isBelow = (floors.get(folderOf(target)) ?? Infinity) < (floors.get(folderOf(path)) ?? 0)
  return isBelow || folderOf(target) === folderOf(path) ? null : `${path} imports ${target}, which is not below it`
}

function folderOf(path: string): string {
  const slash = path.indexOf('/')
  return slash === -1 ? 'main' : path.slice(0, slash)
}

/** Static, side-effect, re-exporting and dynamic imports, and the modules of threads and workers. */
const importing = /(?:\bfrom|\bimport|\bimport\s*\(|\bimport\.meta\.resolve\(|\bnew URL\()\s*(['"])([^'"\s]+)\1/g

function read(text: string): Facts {
  const lines = text.split('\n').filter((line) => !/^\s*(\/\/|\/\*|\*)/.test(line))
  const code = lines.join('\n')
  return { code, specifiers: [...code.matchAll(importing)].map((match) => match[2] ?? '') }
}

function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(folder, path), 'utf8') }))
}

/** The import cycles between files. */
function circles(files: SourceFile[]): string[] {
  const targets = new Map(files.map(({ path, text }) => [path, importsOf(path, text)]))
  return files.flatMap(({ path }) => {
    const way = wayBack(path, targets)
    // Each cycle is named once, by the first of its files.
    return way && way.every((each) => path <= each) ? [[path, ...way].join(' > ')] : []
  })
}

function importsOf(path: string, text: string): string[] {
  const relative = read(text).specifiers.filter((specifier) => specifier.startsWith('.'))
  return relative.map((specifier) => posix.join(posix.dirname(path), specifier))
}

/** The shortest import path from a file back to itself, or null. */
function wayBack(start: string, targets: ReadonlyMap<string, string[]>): string[] | null {
  const seen = new Set<string>()
  let ways = [[start]]
  while (ways.length > 0) {
    const longer: string[][] = []
    for (const way of ways) {
      for (const target of targets.get(way.at(-1) ?? '') ?? []) {
        if (target === start) return [...way.slice(1), start]
        if (!seen.has(target)) longer.push([...way, target])
        seen.add(target)
      }
    }
    ways = longer
  }
  return null
}

const filesPerFolder = 15
/** A list that only grows, in the order of its numbers. */
const numbered = 'database/migrations'

/** Folders with too many files to see at a glance. */
function crowded(files: SourceFile[]): string[] {
  const folders = Map.groupBy(files, ({ path }) => posix.dirname(path))
  return [...folders]
    .filter(([, held]) => held.length > filesPerFolder)
    .filter(([folder]) => folder !== numbered)
    .map(([folder]) => folder)
}

/**
 * Imports that run upwards inside a folder: a subfolder imports a file of its parent, or two subfolders import each
 * other.
 */
function upwards(files: SourceFile[]): string[] {
  const imported = files.flatMap(({ path, text }) => importsOf(path, text).map((target) => ({ path, target })))
  const steps = new Map(imported.map(({ path, target }) => [stepOf(path, target), `${path} imports ${target}`]))
  return [...steps].flatMap(([step, example]) => {
    const [from = '', to = ''] = step.split(' > ')
    const isUp = from.startsWith(`${to}/`)
    return from !== to && (isUp || (steps.has(`${to} > ${from}`) && !to.startsWith(`${from}/`))) ? [example] : []
  })
}

/** The folders that an import connects: those directly below the lowest folder that contains both files. */
function stepOf(path: string, target: string): string {
  const [from, to] = [path, target].map((file) => file.split('/').slice(0, -1))
  let depth = 0
  while (from?.[depth] !== undefined && from[depth] === to?.[depth]) depth++
  return [from, to].map((folder) => folder?.slice(0, depth + 1).join('/')).join(' > ')
}

const service = sourceFiles(join(import.meta.dirname, '../../src'))
const kit = sourceFiles(join(import.meta.dirname, '../../../provider/src'))

test('imports run only downwards, and confined things stay in their folder', () => {
  expect(service.length).toBeGreaterThan(10)
  expect(violations(service)).toEqual([])
})

test('the contract is below everything: it imports only itself and typebox', () => {
  const contract = sourceFiles(join(import.meta.dirname, '../../../contract/src'))

  const foreign = contract.flatMap(({ path, text }) =>
    read(text).specifiers.filter((name) => {
      const isInside = name.startsWith('.') && !posix.join(posix.dirname(path), name).startsWith('..')
      return !isInside && !name.startsWith('typebox')
    }),
  )

  expect(contract.length).toBeGreaterThan(5)
  expect(foreign).toEqual([])
  expect(circles(contract)).toEqual([])
})

test('the provider kit imports only itself, the contract and its libraries', () => {
  const foreign = kit.flatMap(({ text }) =>
    read(text).specifiers.filter(
      (name) => !/^(\.|node:|@vitae\/contract$|typebox|i18n-iso-countries\/|entities\/|yaml$)/.test(name),
    ),
  )

  expect(kit.length).toBeGreaterThan(20)
  expect(foreign).toEqual([])
  expect(circles(kit)).toEqual([])
})

test('no files import each other in a cycle, including type imports', () => {
  expect(circles(service)).toEqual([])
})

test('inside a folder imports run in one direction too', () => {
  expect(upwards(service)).toEqual([])
})

test.each(['service', 'provider', 'contract', 'client', 'cli'])('no folder of %s has more than 15 files', (name) => {
  expect(crowded(sourceFiles(join(import.meta.dirname, '../../..', name, 'src')))).toEqual([])
})

describe('the guard against cycles', () => {
  const file = (path: string, ...imported: string[]): SourceFile => ({
    path,
    text: imported.map((specifier) => `import type { A } from '${specifier}'`).join('\n'),
  })

  test('finds two files that import types of each other', () => {
    const planted = [file('lookup/a.ts', './b.ts'), file('lookup/b.ts', './a.ts'), file('lookup/c.ts', './a.ts')]
    expect(circles(planted)).toEqual(['lookup/a.ts > lookup/b.ts > lookup/a.ts'])
  })

  test('finds a cycle over three folders, and one through a dynamic import', () => {
    const over = [file('a/a.ts', '../b/b.ts'), file('b/b.ts', '../c/c.ts'), file('c/c.ts', '../a/a.ts')]
    const lazy = [file('d/a.ts', './b.ts'), { path: 'd/b.ts', text: `const a = await import('./a.ts')` }]
    expect(circles([...over, ...lazy])).toHaveLength(2)
  })

  test('finds a subfolder that imports a file of its parent', () => {
    expect(upwards([file('a/b/c.ts', '../d.ts'), file('a/d.ts')])).toEqual(['a/b/c.ts imports a/d.ts'])
    expect(upwards([file('a/b/c.ts'), file('a/d.ts', './b/c.ts')])).toEqual([])
  })

  test('finds two subfolders that import each other', () => {
    const both = [file('a/b/x.ts', '../c/y.ts'), file('a/c/z.ts', '../b/w.ts')]
    expect(upwards(both)).toHaveLength(2)
    expect(upwards(both.slice(1))).toEqual([])
  })

  test('allows one file to be imported in several ways', () => {
    expect(circles([file('a/a.ts', './b.ts', './c.ts'), file('a/b.ts', './c.ts'), file('a/c.ts')])).toEqual([])
  })

  test('counts files per folder, without its subfolders', () => {
    const many = Array.from({ length: 16 }, (_, number) => file(`lookup/file-${number}.ts`))
    expect(crowded(many)).toEqual(['lookup'])
    expect(crowded([...many.slice(1), file('lookup/fetch/file.ts')])).toEqual([])
  })
})

describe('the guard refuses', () => {
  const planted: [law: string, path: string, text: string][] = [
    ['an upward import', 'foundation/log.ts', `import { route } from '../http/people-route.ts'`],
    ['an upward import of a type', 'credits/settle.ts', `import type { Ask } from '../lookup/ask.ts'`],
    [
      'an import of the app by a lower floor',
      'http/server.ts',
      `import type { Service } from '../app/build-service.ts'`,
    ],
    [
      'a vendor that knows the service',
      'providers/harvestapi/harvestapi.ts',
      `import { inSpan } from '../../foundation/tracing.ts'`,
    ],
    [
      'a vendor that knows the chain',
      'providers/coresignal/coresignal.ts',
      `import { createChain } from '../chain/chain.ts'`,
    ],
    ['an import over several lines', 'credits/settle.ts', `import {\n  answer,\n} from '../lookup/answer.ts'`],
    ['a dynamic import', 'records/find.ts', `const a = await import('../lookup/answer.ts')`],
    ['an upward re-export', 'records/find.ts', `export * from '../lookup/answer.ts'`],
    ['a thread started from above', 'foundation/thread.ts', `new Worker(new URL('../main.ts', import.meta.url))`],
    ['an import across one floor', 'credits/charge.ts', `import { findKey } from '../accounts/find-key.ts'`],
    ['an import from the lookup to the lifecycle', 'lookup/find.ts', `import { erase } from '../lifecycle/erase.ts'`],
    ['a way out of the service', 'records/find.ts', `import { Person } from '../../../contract/src/records/person.ts'`],
    ['a folder without a floor', 'helpers/dates.ts', `export const weekDays = 7`],
    ['fastify outside http', 'lookup/answer.ts', `import type { FastifyRequest } from 'fastify'`],
    ['a fastify plug-in outside http', 'server.ts', `import swagger from '@fastify/swagger'`],
    ['the environment outside config', 'providers/chain.ts', `const key = process.env.VITAE_MIRROR_KEY`],
    ['a driver in the foundation', 'foundation/log.ts', `import pg from 'pg'`],
    ['a driver in a subject', 'records/find.ts', `import { DatabaseSync } from 'node:sqlite'`],
    ['a pool in the lookup', 'lookup/answer.ts', `import pg from 'pg'`],
    ['SQL in http', 'http/people-route.ts', `import { sql } from 'kysely'`],
    ['a clock of its own', 'credits/month.ts', `const month = new Date().toISOString()`],
    ['a comparison of the engine', 'records/find.ts', `if (dialect.name === 'postgres') lock()`],
    ['a day of its own', 'credits/month.ts', `const dayMs = 86_400_000`],
    ['the time of the system', 'credits/month.ts', `const now = Date.now()`],
    ['node:http at the start', 'events/post.ts', `import { request } from 'node:http'`],
    ['another workspace', 'http/console.ts', `import { VitaeClient } from '@vitae/client'`],
  ]

  test.each(planted)('%s', (_law, path, text) => {
    expect(violations([{ path, text }])).toHaveLength(1)
  })
})

describe('the guard allows', () => {
  const fine: [law: string, path: string, text: string][] = [
    ['every floor to the top', 'main.ts', `import { answer } from './lookup/answer.ts'\nimport './http/server.ts'`],
    [
      'files of one folder to each other',
      'providers/chain/chain.ts',
      `import type { Exchange } from '../transport/transport.ts'`,
    ],
    ['the floors below', 'lookup/answer.ts', `import { settle } from '../credits/settle.ts'`],
    ['the contract to all', 'foundation/failure.ts', `import { failures } from '@vitae/contract'`],
    ['dates that are given', 'records/diff.ts', `const at = new Date(clock.now())`],
    ['types of node:http', 'http/server.ts', `import type { Server } from 'node:http'`],
    ['words in a comment', 'records/diff.ts', `// Date.now() would tie this to the system clock`],
  ]

  test.each(fine)('%s', (_law, path, text) => {
    expect(violations([{ path, text }])).toEqual([])
  })
})
