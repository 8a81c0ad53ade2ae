import { expect, test } from 'vitest'
import { deniedAt, mayUse, onRoute, ownImport, readRoute } from '../../src/foundation/environments/route.ts'

test('a route gives an environment its own providers and operator imports; without a route it has all', () => {
  expect(readRoute(null)).toBeNull()
  expect(readRoute('["a","b"]')).toEqual(['a', 'b'])
  expect([mayUse(null, 'a'), mayUse(['a'], 'a'), mayUse(['a'], 'b'), mayUse(['a'], ownImport)]).toEqual([
    true,
    true,
    false,
    true,
  ])
  expect(ownImport).toBe('import')
})

test('a record is unknown on a route since its first provider said so, if all of its providers did', () => {
  expect(deniedAt(['a', 'b'], { a: 7, b: 5, c: 1 })).toBe(5)
  expect(deniedAt(['a', 'b'], { a: 7 })).toBeNull()
  expect(deniedAt(['a'], undefined)).toBeNull()
  expect(deniedAt(null, { a: 7 })).toBeNull()
  expect(deniedAt([], { a: 7 })).toBeNull()
})

test('shared results of environments are named after their route', () => {
  expect([onRoute('x', null), onRoute('x', ['a', 'b'])]).toEqual(['x', 'x via a,b'])
})
