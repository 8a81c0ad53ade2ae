import { expect, test } from 'vitest'
import { foldedWords, foldText, searchWords } from '../../../src/foundation/text/fold-text.ts'

test('a text is compared without case, accents and extra spaces', () => {
  expect(foldText('  Ada   QUILL ')).toBe('ada quill')
  expect(foldText(' Zoë \u00a0 MÜLLER\u0000-Straße\u0007 ')).toBe('zoe muller -strasse')
  expect(foldText('ẞ ß ς Σ ﬁ Ⅳ')).toBe('ss ss σ σ fi iv')
  expect(foldText('Øłđð Æœþ Łódź')).toBe('oldd aeoeth lodz')
  expect(foldText('İstanbul')).toBe('istanbul')
})

test('its words are separated by anything that is not a letter or digit, unique, and cut to 64 letters', () => {
  expect(foldedWords('— Ada, ada (QUILL) 2nd')).toEqual(['ada', 'quill', '2nd'])
  expect(foldedWords(`${'q'.repeat(65)} ${'q'.repeat(64)}`)).toEqual(['q'.repeat(64)])
})

test('a name in a script without spaces is found by any part of it', () => {
  expect(searchWords(['Quill Ada', 'Ada'])).toEqual(['ada', 'quill'])
  expect(searchWords(['王小明'])).toEqual(['小明', '明', '王小明'])
  for (const word of ['さくら', 'サクラ']) expect(searchWords([word])).toHaveLength(3)
  expect(searchWords(['김'])).toHaveLength(3)
  // The first 20 letters, and 60 words.
  expect(searchWords(['明'.repeat(30)]).map((word) => word.length)).toContain(20)
  expect(searchWords(['明'.repeat(30)])).toHaveLength(20)
  expect(searchWords(Array.from({ length: 70 }, (_, number) => `word${number}`))).toHaveLength(60)
})
