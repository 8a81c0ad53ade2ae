import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { openSqliteStore, type StartThread } from '../../src/database/sqlite/open-sqlite-store.ts'
import { operationsModule } from '../../src/app/store/service-store.ts'
import { keptThread } from '../harness/kept-threads.ts'

const source = join(import.meta.dirname, '../../src')
const clients = /^(node:(http|https|http2|tls)|undici|fastify|pg|ioredis)$/

/** The runtime imports of a module, without type imports. */
function importsOf(path: string): string[] {
  const found = readFileSync(path, 'utf8').matchAll(/^(?:import|export)(?! type\b)[^;'"]*? from '([^']+)'/gm)
  return Array.from(found, ([, name = '']) => (name.startsWith('.') ? join(dirname(path), name) : name))
}

test('the thread of the embedded store loads no network client, which would slow every start', () => {
  const ways = new Map(
    ['app/store/operations.ts', 'database/sqlite/sqlite-thread.ts'].map((name) => [join(source, name), '']),
  )
  // Iterating a map includes entries that are added meanwhile.
  for (const [path, way] of ways) {
    if (!path.startsWith(source)) continue
    for (const next of importsOf(path)) if (!ways.has(next)) ways.set(next, `${way}${relative(source, path)} > `)
  }

  expect(ways.size).toBeGreaterThan(150)
  expect([...ways].filter(([name]) => clients.test(name)).map(([name, way]) => way + name)).toEqual([])
})

test('in a checkout the store names the sources of its thread, never an older bundle', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-thread-'))
  const started: string[] = []
  const startThread: StartThread = (module, options) => {
    started.push(module.href)
    return keptThread(module, options)
  }
  const data = { path: join(folder, 'vitae.db'), operationsModule, now: Date.now() }
  const store = await openSqliteStore(data, { startThread })
  await store.close()
  rmSync(folder, { recursive: true })

  const inSource = (name: string) => pathToFileURL(join(source, name)).href
  expect([...started, operationsModule]).toEqual(
    ['database/sqlite/sqlite-thread.ts', 'app/store/operations.ts'].map(inSource),
  )
})
