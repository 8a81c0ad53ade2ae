import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../../src')
const clients = /^(node:(http|https|http2|tls)|undici|fastify|pg|ioredis)$/

/** What a module brings along when it is loaded; imports of types bring nothing. */
function importsOf(path: string): string[] {
  const found = readFileSync(path, 'utf8').matchAll(/^(?:import|export)(?! type\b)[^;'"]*? from '([^']+)'/gm)
  return Array.from(found, ([, name = '']) => (name.startsWith('.') ? join(dirname(path), name) : name))
}

test('the thread of the embedded store loads no network client, which would slow every start', () => {
  const ways = new Map(
    ['app/store/operations.ts', 'database/sqlite/sqlite-thread.ts'].map((name) => [join(source, name), '']),
  )
  // A map goes on with what is added while it is walked through.
  for (const [path, way] of ways) {
    if (!path.startsWith(source)) continue
    for (const next of importsOf(path)) if (!ways.has(next)) ways.set(next, `${way}${relative(source, path)} > `)
  }

  expect(ways.size).toBeGreaterThan(150)
  expect([...ways].filter(([name]) => clients.test(name)).map(([name, way]) => way + name)).toEqual([])
})
