import { expect, test } from 'vitest'
import { foldText } from '../../../src/foundation/text/fold-text.ts'
import { differInScript } from '../../../src/records/names/compare-scripts.ts'

type Pair = readonly [one: string, other: string]

/** Pairs of words, separated by `|`. */
const pairs = (text: string) => text.split('|').map((pair) => pair.trim().split(' ') as unknown as Pair)
const differ = ([one, other]: Pair) => differInScript(foldText(one), foldText(other))
const inBothOrders = (text: string) =>
  pairs(text).flatMap(([one, other]): Pair[] => [
    [one, other],
    [other, one],
  ])

const strangers =
  '周 鈴木 | 박하늘 정다움 | ハナコ ケンジ | すずき みずの | خالد نجوى | الرفاعي القاضي | آمال هلال | شب شم | سالمون سمور'

test('names in one script without anything in common are two people', () => {
  expect(inBothOrders(strangers).filter((pair) => !differ(pair))).toEqual([])
})

test('words of two scripts, or of several in one word, are not compared', () => {
  const mixed = ['周x x周 鈴木', '박x x박 정', 'ハナコx xハナコ ケンジ', 'خالدx xخالد نجوى'].map((row) =>
    row.split(' '),
  )
  for (const [behind = '', before = '', other = ''] of mixed) {
    expect([behind, before].map((word) => [differ([word, other]), differ([other, word])])).toEqual([
      [false, false],
      [false, false],
    ])
  }
  expect(pairs('周 スズキ | 周 quill | 박 周 | خالد квилл').filter(differ)).toEqual([])
})

test('a Chinese character is the same in every form: traditional, simplified or Japanese', () => {
  const written =
    '陳 陈 | 蘇 苏 | 莊 庄 | 樂 楽 | 勳 勋 | 賢 贤 | 風 风 | 潔 洁 | 純 纯 | 裝 装 | 鄉 乡 | 類 类 | 卻 却 | 寶 宝 | 戀 恋 | 極 极 | 斉 斎 | 瀨 濑'
  expect(inBothOrders(written).filter(differ)).toEqual([])
  // One shared character is enough, because names have two to four.
  expect(differ(['志明', '志強'])).toBe(false)
  expect(differ(['明', '強'])).toBe(true)
})

test('a Korean name may begin differently in the north and in the south, but is otherwise the same', () => {
  expect(inBothOrders('리 이 | 량 양 | 노 오').filter(differ)).toEqual([])
  expect(inBothOrders('리 기 | 가리 나이').filter((pair) => !differ(pair))).toEqual([])
})

test('kana are the same in both syllabaries, and long vowels do not count', () => {
  expect(inBothOrders('はなこ ハナコ | オーター オタ | サイトウ サイトー').filter(differ)).toEqual([])
})

test('in an Arabic name the article does not count, nor do differences between Arabic, Persian and Urdu spelling', () => {
  const written = 'الرفاعي رفاعه | هبة هبه | مة مه | مى مي | علی على | شك شک | كرم كم | عبدالرحمن عبد'
  expect(inBothOrders(written).filter(differ)).toEqual([])
  expect(inBothOrders('مة مب | مى مب | شک شب | الن بن').filter((pair) => !differ(pair))).toEqual([])
})
