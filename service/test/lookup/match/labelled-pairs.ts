import type { Expected } from '../../../src/lookup/asked/expectations.ts'

/** A row of a caller's list, and the record that a lookup found. All are fictional. */
export interface Pair {
  row: Expected
  record: { first: string | null; last: string | null; employers?: string[]; country?: string }
}

type Name = readonly [first: string, last: string]

/** One person per line, in several spellings: `first / last`, separated by `|`. */
const people: readonly (readonly Name[])[] = namesIn(`
  Jürgen / Müllerstein | Juergen / Muellerstein | JÜRGEN / müllerstein | Jurgen / Mullerstein
  Siân / Brandwyth | Sian / Brandwyth-Okoro | S. / Okoro-Brandwyth | Sian / Okoro (Brandwyth)
  William / Tarnfeld | Bill / Tarnfeld | Will / Tarnfeld | W / Tarnfeld
  Alexander / Yakovenski | Aleksandr / Iakovenskiy | Sasha / Yakovensky | Александр / Яковенский
  Søren / Ågesund | Soren / Aagesund | Sören / Agesund
  Katherine / O’Dunlea | Catherine / O'Dunlea | Kate / ODunlea | Kathryn / O Dunlea
  Pieter / van den Bergwijk | Piet / Vandenbergwijk | P. / Bergwijk
  太郎 / 山原 | Taro / Yamahara | Tarō / Yamahara | 山原 / 太郎 | たろう / やまはら | タロウ / ヤマハラ
  Łukasz / Śliwnicki | Lukasz / Sliwnicki | LUKASZ / SLIWNICKI
  Γιώργος / Παπαδέλης | Giorgos / Papadelis | George / Papadellis
  Nguyễn / Thanh Vỹ | Thanh Vy / Nguyen | Thanh-Vy / Nguyen
  Marie-Claire / Dufontel | Marie / Dufontel | Marie Claire / Dufontel, MBA | M.-C. / Dufontel
  José / García Montalvar | Jose / Garcia | José / Montalvar García | J. / García-Montalvar
  محمد / الهاشوري | Mohammed / Al-Hashouri | Muhammad / Alhashouri | Mohamed / El Hashouri | محمّد / هاشورى
  Евгений / Чайковин | Yevgeny / Chaikovin | Evgenii / Tchaikovin
  Margaret / Holmbeck | Peggy / Holmbeck | Margaret (Peggy) / Holmbeck (née Stray)
  Robert / Quillsmith | Bob / Quillsmith | Rob / Quillsmyth | R. / Quillsmith PhD
  Zoë / Strassheim | Zoe / Straßheim | ZOE / STRASSHEIM
  偉明 / 陳 | 伟明 / 陈 | Weiming / Chen | 陳 / 偉明 | Wei-Ming / Chen
  雅 / 趙 | 雅 / 赵 | Ya / Zhao | 赵 / 雅
  민서 / 김솔 | Minseo / Kimsol | 김솔 / 민서 | Min-seo / Kimsol
  준호 / 리 | 준호 / 이 | Junho / Lee | Jun-ho / Yi
  嘉欣 / 黃 | Ka Yan / Wong | 嘉欣 / 黄
  さくら / 斎藤 | さくら / 齋藤 | Sakura / Saito | サクラ / サイトウ
  Сергій / Дубравенко | Сергей / Дубравенко | Serhii / Dubravenko | Sergey / Dubravenko
  Ελένη / Βασιλοπούλη | Eleni / Vasilopouli | Helen / Vassilopouli
  فاطمة / الزيتونة | فاطمه / زيتونه | Fatima / Al-Zaytouna | Fatma / Zeitouna
  Anne-Sophie / Delcourbe-Martel | Anne / Delcourbe | Anne Sophie / Martel Delcourbe | A. / Delcourbe Martel
`)

/** None of them is one of `people`. */
const strangers: readonly Name[] = namesIn(`
  Ottilie / Brackenridge | Deniz / Karamanoglu | Виктор / Громовой | Тамара / Белозёрная | Ξένια / Ζωγραφάκη | Νίκος / Καλογήρου
  خالد / البستاني | نجوى / الدرويش | 建国 / 周 | 花子 / 鈴木 | 도윤 / 박하늘 | 채원 / 정다움 | ハナコ / スズキ | ケンジ / ミズノ
`).flat()

/** Spellings of one company's name. */
const companies: readonly (readonly string[])[] = [
  ['Tidewater Instruments GmbH', 'Tidewater Instruments', 'TIDEWATER INSTRUMENTS Ltd.', 'Tidewater'],
  ['Nordlicht Maschinenbau AG', 'Nordlicht Maschinenbau', 'Nordlicht'],
  ['International Brass Makers Corp.', 'IBM Corp', 'International Brass Makers'],
  ['Société Vélantine S.A.', 'Velantine SA', 'Velantine'],
  ['Ømberg & Sønn A/S', 'Omberg og Sonn', 'Ømberg'],
  ['Kestrel-Data, Inc.', 'KestrelData', 'Kestrel Data Inc'],
  ['株式会社ハルカゼ', 'Harukaze K.K.', 'ハルカゼ'],
]

/** Changes of a name between a list and a record, for names in Latin letters. */
const changes: readonly ((name: Name) => Name)[] = [
  ([first, last]) => [last, first],
  ([first, last]) => [`${first[0]}.`, last],
  ([first, last]) => [first.toUpperCase(), last.toUpperCase()],
  ([first, last]) => [first, `${last} (née Hollowell)`],
  ([first, last]) => [first, `Hollowell (${last})`],
  ([first, last]) => [first, `${last}-Hollowell`],
  ([first, last]) => [`${first} Robin`, last],
  ([first, last]) => [`Dr. ${first}`, `${last}, PhD`],
]

function namesIn(table: string): Name[][] {
  const lines = table.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) =>
    line.split('|').map((name): Name => {
      const [first = '', last = ''] = name.split(' / ')
      return [first.trim(), last.trim()]
    }),
  )
}

function pairsWithin<Item, Made>(group: readonly Item[], make: (one: Item, other: Item) => Made): Made[] {
  return group.flatMap((one) => group.filter((other) => other !== one).map((other) => make(one, other)))
}

const named = (one: Name, other: Name): Pair => ({
  row: { first_name: one[0], last_name: one[1] },
  record: { first: other[0], last: other[1] },
})

/** The script of a name; null if it mixes several. */
export function scriptOf(text: string): string | null {
  const scripts = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Han', 'Hangul', 'Hiragana', 'Katakana']
  return scripts.find((script) => new RegExp(String.raw`^[\p{Script=${script}}\P{L}]+$`, 'u').test(text)) ?? null
}

const firstOf = (group: readonly Name[]): Name => group[0] ?? ['', '']
const latin = people.map(firstOf).filter((name) => scriptOf(name.join(' ')) === 'Latin')

export const same: readonly Pair[] = [
  ...people.flatMap((group) => pairsWithin(group, named)),
  ...latin.flatMap((name) => changes.map((change) => named(name, change(name)))),
  ...companies.flatMap((group) =>
    pairsWithin(group, (one, other): Pair => {
      // The second is a former employer.
      return {
        row: { company_name: one },
        record: { first: 'Ada', last: 'Quill', employers: ['Alder Foundry', other] },
      }
    }),
  ),
  ...people.map((group, at): Pair => {
    const [first, last] = firstOf(group)
    return {
      row: { first_name: first, last_name: last, company_name: 'Tidewater', country_code: at % 2 ? 'uk' : 'GB' },
      record: { first, last, employers: ['Alder Foundry', 'Tidewater Instruments GmbH'], country: 'GB' },
    }
  }),
]

/** The name of another person, or the same one with a typing error. */
const mistyped = (name: string) => `${name.slice(0, 2)}x${name.slice(3)}`

/** Cyrillic and Greek names are compared with Latin ones. */
const hasAlphabet = (name: string) => ['Latin', 'Cyrillic', 'Greek'].includes(scriptOf(name) ?? '')

/** Undecidable pairs: parts are missing or in other scripts, or a first name may be a form of the other. */
export const unsure: readonly Pair[] = people.flatMap((group, at): Pair[] => {
  const [first, last] = firstOf(group)
  const other = firstOf(people[(at + 1) % people.length] ?? [])
  const isLatin = scriptOf(last) === 'Latin'
  return [
    { row: { first_name: first, last_name: last }, record: { first: null, last: null } },
    { row: { last_name: last }, record: { first: other[0], last: null } },
    { row: { last_name: last, company_name: 'Tidewater' }, record: { first, last, employers: [] } },
    ...(hasAlphabet(last) === hasAlphabet(other[1]) ? [] : [named([first, last], other)]),
    ...(isLatin
      ? [named([first, last], [`${first[0]}ubrickan`, last]), named([first, last], [first, mistyped(last)])]
      : []),
  ]
})

export const different: readonly Pair[] = [
  ...people
    .flatMap((group) => group.filter(([first]) => first.length > 2 || scriptOf(first) !== 'Latin'))
    .flatMap(strangersTo),
  // Of the same family; a first name with the same beginning may be a form of the other.
  ...latin.flatMap((name) =>
    strangers.slice(0, 2).flatMap(([first]) => {
      const begins = name
        .join(' ')
        .normalize('NFD')
        .split(/[\s-]+/)
        .map((word) => word[0]?.toLowerCase())
      return begins.includes(first[0]?.toLowerCase()) ? [] : [named(name, [first, name[1]])]
    }),
  ),
  // The same name, at a company that is not in the record.
  ...companies.slice(0, -1).map((group, at): Pair => {
    const others = companies.slice(0, -1).filter((_, index) => index !== at)
    const employers = others.slice(0, 2).flatMap(([whole]) => whole ?? [])
    return {
      row: { first_name: 'Ada', last_name: 'Quill', company_name: group[1] ?? '' },
      record: { first: 'Ada', last: 'Quill', employers },
    }
  }),
  ...strangers.map(([first, last]): Pair => {
    return { row: { last_name: last, country_code: 'DE' }, record: { first, last, country: 'PT' } }
  }),
]

/** Two other people for every spelling of a name, in its own script. */
function strangersTo(one: Name): Pair[] {
  const script = scriptOf(one.join(' '))
  return strangers
    .filter((other) => script !== null && scriptOf(other.join(' ')) === script)
    .map((other) => named(one, other))
}
