import { expect, test } from 'vitest'
import { deniedAt, mayUse, onRoute, ownImport, readRoute } from '../../src/foundation/environments/route.ts'

test('a route lets an environment have its providers and what the operator brought, and none lets it have all', () => {
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

test('a route knows no such record since the first of its providers said so, if all of them did', () => {
  expect(deniedAt(['a', 'b'], { a: 7, b: 5, c: 1 })).toBe(5)
  expect(deniedAt(['a', 'b'], { a: 7 })).toBeNull()
  expect(deniedAt(['a'], undefined)).toBeNull()
  expect(deniedAt(null, { a: 7 })).toBeNull()
  expect(deniedAt([], { a: 7 })).toBeNull()
})

test('what environments share is named after their route', () => {
  expect([onRoute('x', null), onRoute('x', ['a', 'b'])]).toEqual(['x', 'x via a,b'])
})
