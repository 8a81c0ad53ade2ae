import { expect, test } from 'vitest'
import { editDistance, nearestName } from '../../../src/foundation/text/nearest-name.ts'

test('the distance of two words counts inserted, deleted, replaced and swapped letters', () => {
  const pairs: [one: string, other: string, distance: number][] = [
    ['', '', 0],
    ['', 'abc', 3],
    ['quill', 'quill', 0],
    ['quill', 'quil', 1],
    ['quill', 'quilla', 1],
    ['quill', 'quall', 1],
    ['quill', 'qiull', 1],
    ['uqill', 'quill', 1],
    ['quill', 'iuqll', 2],
    ['kitten', 'sitting', 3],
    // A swapped letter is not changed again.
    ['ca', 'abc', 3],
    ['abcd', 'badc', 2],
    ['abab', 'baba', 2],
  ]
  for (const [one, other, distance] of pairs) {
    expect([one, other, editDistance(one, other)]).toEqual([one, other, distance])
    expect([other, one, editDistance(other, one)]).toEqual([other, one, distance])
  }
})

test('the suggested name is the nearest, the first among equals, in any case', () => {
  const names = ['PORT', 'LOG_LEVEL', 'VITAE_DATA_DIR', 'VITAE_DATA_URL']
  expect(nearestName('PROT', names)).toBe('PORT')
  expect(nearestName('log_levle', names)).toBe('LOG_LEVEL')
  expect(nearestName('VITAE_DATA_DRI', names)).toBe('VITAE_DATA_DIR')
  expect(nearestName('VITAE_DATA_XXX', names)).toBe('VITAE_DATA_DIR')
  expect(nearestName('PORT', [])).toBeNull()
})

test('a name may differ in half of its letters, or in two of a short name, but not more', () => {
  expect(nearestName('abcdef', ['abcxyz'])).toBe('abcxyz')
  expect(nearestName('abcdef', ['abwxyz'])).toBeNull()
  expect(nearestName('ab', ['xy'])).toBe('xy')
  expect(nearestName('ab', ['xyz'])).toBeNull()
})

test('names longer than any known one are not compared', () => {
  const [long, longer] = ['a'.repeat(80), 'a'.repeat(81)]
  expect([nearestName(long, [long]), nearestName(longer, [long]), nearestName(long, [longer])]).toEqual([
    long,
    null,
    null,
  ])
  expect(nearestName(long, [longer, long])).toBe(long)
})
