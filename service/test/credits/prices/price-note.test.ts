import { expect, test } from 'vitest'
import { noteOf, readNote, receiptLines, whyLess } from '../../../src/credits/prices/price-note.ts'
import type { PriceLists } from '../../../src/credits/prices/price-book.ts'

const lists: PriceLists = {
  lines: [{ kind: 'people', credits: 2 }, { credits: 3 }],
  parts: [
    { part: 'contact', credits: 4 },
    { part: 'network', credits: 5 },
  ],
}
const note = (text: string) => readNote(text)

test('a note survives writing and parsing', () => {
  const text = noteOf('3', [
    { line: 12, credits: 1 },
    { part: 'contact', credits: 2 },
    { part: 'network', credits: 0 },
  ])
  expect(text).toBe('3 12:1 contact:2 network:0')
  expect(readNote(text)).toEqual({
    book: 3,
    line: 12,
    credits: 1,
    parts: [
      { part: 'contact', credits: 2 },
      { part: 'network', credits: 0 },
    ],
  })
  expect(readNote(null)).toBeNull()
})

test('a charge below the hold has a reason: a failure, a replay, a free repeat, a cheaper line or an empty part', () => {
  const call = { held: 9, charged: 2, isAnswered: true, isReplay: false }
  const table: [Partial<typeof call>, string | null, string[]][] = [
    [{ charged: 9, isAnswered: false }, '1 1:2', []],
    [{ charged: 10, isAnswered: false }, '1 1:2', []],
    [{ isAnswered: false, isReplay: true }, '1 1:2', ['failed']],
    [{ isReplay: true }, '1 1:2', ['replayed']],
    [{}, null, []],
    [{ charged: 1 }, '1 1:2', ['free_repeat']],
    [{ charged: 5 }, '1 1:2 contact:4', ['free_repeat']],
    [{ charged: 6 }, '1 1:2 contact:4', ['cheaper_line']],
    [{}, '1 1:2', ['cheaper_line']],
    [{ held: 6 }, '1 1:2 contact:0', ['part_without_value']],
    [{ held: 11 }, '1 1:2 contact:0 network:0', ['part_without_value']],
    [{ held: 12 }, '1 1:2 contact:0 network:0', ['cheaper_line', 'part_without_value']],
  ]
  for (const [change, text, reasons] of table)
    expect(whyLess({ ...call, ...change }, text === null ? null : note(text), lists)).toEqual(reasons)
  // A book that is no longer known, and a part that it does not price.
  expect(whyLess(call, note('1 1:2 contact:0'), null)).toEqual(['cheaper_line', 'part_without_value'])
  expect(whyLess({ ...call, held: 3 }, note('1 1:2 verifications:0'), lists)).toEqual([
    'cheaper_line',
    'part_without_value',
  ])
})

test('a receipt names its line in words, and the parts that cost something', () => {
  const read = readNote('1 1:2 contact:4 network:0')
  expect(read && receiptLines(read, lists)).toEqual([
    { line: 'line 1: people', credits: 2 },
    { line: 'part contact', credits: 4 },
  ])
  expect(read && receiptLines(read, null)[0]).toEqual({ line: 'line 1', credits: 2 })
  expect(receiptLines({ book: 1, line: 7, credits: 1, parts: [] }, lists)).toEqual([{ line: 'line 7', credits: 1 }])
})
