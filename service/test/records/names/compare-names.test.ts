import { expect, test } from 'vitest'
import {
  firstNamesMayAgree,
  maySpellTheSame,
  namesMayAgree,
  nameWords,
  withoutTitles,
} from '../../../src/records/names/compare-names.ts'

type Compare = (one: string, other: string) => boolean

/** Those of the pairs, in both orders, about which a comparison says something else. `/` stands in a pair, `|` between two. */
function against(text: string, compare: Compare, expected: boolean): string[] {
  return text.split('|').filter((pair) => {
    const [one = '', other = ''] = pair.split('/').map((name) => name.trim())
    return compare(one, other) !== expected || compare(other, one) !== expected
  })
}

test('the words of a name are folded, and what stands between them does not count', () => {
  expect(nameWords(' Ada-Maria  O’Quill, 2nd ')).toEqual(['ada', 'maria', 'o', 'quill', '2nd'])
  expect(nameWords('—')).toEqual([])
})

test('titles and degrees are no part of a name, unless it has no other', () => {
  expect(withoutTitles(' Dr. Ada Quill,PhD')).toEqual(['Ada', 'Quill'])
  expect(withoutTitles('Prof. Mag. Ada  Quill , M.B.A., OBE')).toEqual(['Ada', 'Quill'])
  expect(withoutTitles('Mr Esq')).toEqual(['Mr', 'Esq'])
  expect(withoutTitles('')).toEqual([])
})

test('two words can be spellings of one: an initial, a beginning, a sound, a few letters', () => {
  const spellings =
    'q / quill | quill / quill | mueller / muller | matthias / mathias | alex / alexandros | quillsmith / quillsmyth | bergen / berel | zoooooe / zoe | muelberk / mulfenk'
  expect(against(spellings, maySpellTheSame, true)).toEqual([])
  const others =
    'q / tarn | quill / tarnfeld | ada / adalbert | 4711 / 9236 | громовой / яковенски | ζωγραφακη / παπαδελης | ada / otto | vilbert / lart | hagemark / moira'
  expect(against(others, maySpellTheSame, false)).toEqual([])
})

test('words of two alphabets, or of several in one word, are not compared', () => {
  const mixed =
    'quill / квилл | quillя / tarnfeld | яquill / tarnfeld | громовойq / яковенски | qгромовой / яковенски | ζωγραφακηq / παπαδελης | qζωγραφακη / παπαδελης'
  expect(against(mixed, maySpellTheSame, true)).toEqual([])
})

test('transliterations of one sound are one', () => {
  const sounds =
    'chaikovin / tschajkowyn | khrushchin / gruschin | yevgenis / ewgenysz | stephens / stefans | thadeus / dadeusz | shtern / cztern | grigori / hryhory'
  expect(against(sounds, maySpellTheSame, true)).toEqual([])
})

test('a name agrees with another that has one of its words, particles aside', () => {
  const same =
    'Okoro Brandwyth / Brandwyth-Hollowell | van den Bergwijk / Vandenbergwijk | O Dunlea / ODunlea | Ten / Tem | — / Quill | Ooi / Huang | Cheah / Hsieh | Geung / Kang'
  expect(against(same, namesMayAgree, true)).toEqual([])
  const others =
    'de la Brandt / de la Quillon | van Holm / van Tarnfeld | Ooi / Hsieh | Brandwyth / Tarnfeld | 周 / 鈴木 | Mueller Ada / Tarn Quill'
  expect(against(others, namesMayAgree, false)).toEqual([])
})

test('a first name agrees with its short forms, with those of other languages, and with what begins alike', () => {
  const same =
    'Bill / William | Peggy / Margaret | Pegy / Mona | Peggie / Mona | Sasha / Alexandra | Jack / Ian | Ada Bea / Zoe Anton | Ada / Anton | Yuri / Jorge | Laszlo / Vladislav'
  expect(against(same, firstNamesMayAgree, true)).toEqual([])
  const others = 'Bill / Robert | Peggy / Anton | Ada / Bea | B / Ada | Sybil / Ottilie'
  expect(against(others, firstNamesMayAgree, false)).toEqual([])
})
