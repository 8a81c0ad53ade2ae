import { expect, test } from 'vitest'
import {
  compareFirstNames,
  compareLastNames,
  nameWords,
  withoutTitles,
  type Agreement,
} from '../../../src/records/names/compare-names.ts'

type Compare = (one: string, other: string) => Agreement

/** The pairs, in both orders, with an unexpected comparison. `/` separates a pair, `|` two pairs. */
function against(text: string, compare: Compare, expected: Agreement): string[] {
  return text.split('|').filter((pair) => {
    const [one = '', other = ''] = pair.split('/').map((name) => name.trim())
    return compare(one, other) !== expected || compare(other, one) !== expected
  })
}

test('the words of a name are folded, and separators do not count', () => {
  expect(nameWords(' Ada-Maria  O’Quill, 2nd ')).toEqual(['ada', 'maria', 'oquill', '2nd'])
  expect(nameWords('—')).toEqual([])
})

test('titles and degrees are not part of a name, unless it has nothing else', () => {
  expect(withoutTitles(' Dr. Ada Quill,PhD')).toEqual(['Ada', 'Quill'])
  expect(withoutTitles('Prof. Mag. Ada  Quill , M.B.A., OBE')).toEqual(['Ada', 'Quill'])
  expect(withoutTitles('Mr Esq')).toEqual(['Mr', 'Esq'])
  expect(withoutTitles('')).toEqual([])
})

test('a last name is the same by one of its words, in any spelling and with any particle before it', () => {
  const same =
    'Okoro Brandwyth / Brandwyth-Hollowell | van den Bergwijk / Vandenbergwijk | O Dunlea / ODunlea | — / Quill | Ooi / Huang | Cheah / Hsieh | Müllerstein / Muellerstein | Quillsmith / Quillsmyth | Tarnov / Tarnova | Quillsky / Quillskaya | Al-Hashouri / Hashouri | MacTarnan / McTarnan'
  expect(against(same, compareLastNames, 'same')).toEqual([])
  const others =
    'de la Brandt / de la Quillon | van Holm / van Tarnfeld | Ooi / Hsieh | Brandwyth / Tarnfeld | 周 / 鈴木 | Tarn / Tarnfeld | Quillson / Quillmann | Bell / Ball | Smith / Schmidt | Anderson / Henderson'
  expect(against(others, compareLastNames, 'other')).toEqual([])
})

test('a last name that only sounds alike, or is an initial, is alike', () => {
  expect(against('Q / Quill | Tarnowitz / Tarnovyc', compareLastNames, 'alike')).toEqual([])
})

test('Cyrillic and Greek names are compared with Latin ones by transliteration', () => {
  const same =
    'Чайковин / Tchaikovin | Чайковин / Tschajkowin | Юшкевин / Yushkevin | Щербинов / Shcherbinov | Шимић / Simic | Παπαδέλης / Papadelis | Γιαννάκης / Yannakis | Γιαννάκης / Giannakis | Μπακάλης / Bakalis'
  expect(against(same, compareLastNames, 'same')).toEqual([])
  const others =
    'Чайковин / Miller | Громовой / Jakovenski | Παπαδέλης / Smith | Ζωγραφάκη / Papadelis | Громовой / Яковенский'
  expect(against(others, compareLastNames, 'other')).toEqual([])
})

test('a first name equals its short forms and its forms in other languages', () => {
  const same =
    'Bill / William | Peggy / Margaret | Sasha / Alexandra | Jack / Ian | Yuri / Jorge | Laszlo / Vladislav | Becky / Rebecca | Jeff / Geoffrey | Kolya / Nikolai | Коля / Nikolay | Kathrin / Katrin | Wei Ming / Weiming | Ada Bea / Bea Anton'
  expect(against(same, compareFirstNames, 'same')).toEqual([])
})

test('two first names that the list does not connect are different, even with the same beginning', () => {
  const others =
    'Bill / Robert | Peggy / Anton | Jane / John | B / Ada | Martina / Margaret | Daniel / Daniela | Zolanthe / Robert'
  expect(against(others, compareFirstNames, 'other')).toEqual([])
})

test('an initial, or the first letter of a name that is not in the list, is alike', () => {
  expect(against('W / Bill | J.P. / Jean | JP / Jean Pierre | Zolanthe / Zibeth', compareFirstNames, 'alike')).toEqual(
    [],
  )
})

test('two names of thousands of words, or of one endless word, are compared at once', () => {
  const words = (part: string) => Array.from({ length: 2_000 }, (_, number) => `${part}${number}`).join(' ')
  const pairs = [
    [words('ada'), words('bea')],
    ['ab'.repeat(20_000), 'ac'.repeat(20_000)],
  ] as const
  const before = process.cpuUsage()

  for (const [one, other] of pairs) for (const compare of [compareFirstNames, compareLastNames]) compare(one, other)

  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000_000).toBeLessThan(5)
})
