import type { Expected } from '../../../src/lookup/match/expectations.ts'

/** A row of someone's list, and the record that a lookup found. All of them are fictional. */
export interface Pair {
  row: Expected
  record: { first: string | null; last: string | null; employers?: string[]; country?: string }
}

/** Spellings of one person's first and last name. */
const people: readonly (readonly [string, string])[][] = [
  [
    ['Jürgen', 'Müllerstein'],
    ['Juergen', 'Muellerstein'],
    ['JÜRGEN', 'müllerstein'],
    ['Jurgen', 'Mullerstein'],
  ],
  [
    ['Siân', 'Brandwyth'],
    ['Sian', 'Brandwyth-Okoro'],
    ['S.', 'Brandwyth'],
    ['Sian', 'Okoro (Brandwyth)'],
  ],
  [
    ['William', 'Tarnfeld'],
    ['Bill', 'Tarnfeld'],
    ['Will', 'Tarnfeld'],
    ['W', 'Tarnfeld'],
  ],
  [
    ['Alexander', 'Yakovenski'],
    ['Aleksandr', 'Iakovenskiy'],
    ['Sasha', 'Yakovensky'],
    ['Александр', 'Яковенский'],
  ],
  [
    ['Søren', 'Ågesund'],
    ['Soren', 'Aagesund'],
    ['Sören', 'Agesund'],
  ],
  [
    ['Katherine', 'O’Dunlea'],
    ['Catherine', "O'Dunlea"],
    ['Kate', 'ODunlea'],
    ['Kathryn', 'O Dunlea'],
  ],
  [
    ['Pieter', 'van den Bergwijk'],
    ['Piet', 'Vandenbergwijk'],
    ['P.', 'Bergwijk'],
  ],
  [
    ['太郎', '山原'],
    ['Taro', 'Yamahara'],
    ['Tarō', 'Yamahara'],
    ['山原', '太郎'],
  ],
  [
    ['Łukasz', 'Śliwnicki'],
    ['Lukasz', 'Sliwnicki'],
    ['LUKASZ', 'SLIWNICKI'],
  ],
  [
    ['Γιώργος', 'Παπαδέλης'],
    ['Giorgos', 'Papadelis'],
    ['George', 'Papadellis'],
  ],
  [
    ['Nguyễn', 'Thanh Vỹ'],
    ['Thanh Vy', 'Nguyen'],
    ['Thanh-Vy', 'Nguyen'],
  ],
  [
    ['Marie-Claire', 'Dufontel'],
    ['Marie', 'Dufontel'],
    ['Marie Claire', 'Dufontel, MBA'],
    ['M.-C.', 'Dufontel'],
  ],
  [
    ['José', 'García Montalvar'],
    ['Jose', 'Garcia'],
    ['José', 'Montalvar García'],
    ['J.', 'García-Montalvar'],
  ],
  [
    ['محمد', 'الهاشوري'],
    ['Mohammed', 'Al-Hashouri'],
    ['Muhammad', 'Alhashouri'],
    ['Mohamed', 'El Hashouri'],
  ],
  [
    ['Евгений', 'Чайковин'],
    ['Yevgeny', 'Chaikovin'],
    ['Evgenii', 'Tchaikovin'],
  ],
  [
    ['Margaret', 'Holmbeck'],
    ['Peggy', 'Holmbeck'],
    ['Margaret (Peggy)', 'Holmbeck (née Stray)'],
  ],
  [
    ['Robert', 'Quillsmith'],
    ['Bob', 'Quillsmith'],
    ['Rob', 'Quillsmyth'],
    ['R.', 'Quillsmith PhD'],
  ],
  [
    ['Zoë', 'Strassheim'],
    ['Zoe', 'Straßheim'],
    ['ZOE', 'STRASSHEIM'],
  ],
]

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

function pairsWithin<Item, Made>(group: readonly Item[], make: (one: Item, other: Item) => Made): Made[] {
  return group.flatMap((one) => group.filter((other) => other !== one).map((other) => make(one, other)))
}

const named = (one: readonly [string, string], other: readonly [string, string]): Pair => ({
  row: { first_name: one[0], last_name: one[1] },
  record: { first: other[0], last: other[1] },
})

const inLatin = (text: string) => /^[\p{Script=Latin}\P{L}]+$/u.test(text)

export const same: readonly Pair[] = [
  ...people.flatMap((group) => pairsWithin(group, named)),
  ...companies.flatMap((group) =>
    pairsWithin(group, (one, other): Pair => {
      return {
        row: { company_name: one },
        record: { first: 'Ada', last: 'Quill', employers: ['Alder Foundry', other] },
      }
    }),
  ),
  ...people.flatMap((group, at): Pair[] =>
    group.map(([first, last]) => ({
      row: { first_name: first, last_name: last, company_name: 'Tidewater', country_code: at % 2 ? 'uk' : 'GB' },
      record: { first, last, employers: ['Alder Foundry', 'Tidewater Instruments GmbH'], country: 'GB' },
    })),
  ),
]

/** Nobody could tell: parts are missing, or stand in other scripts. */
export const unsure: readonly Pair[] = people.flatMap((group, at) => {
  const [first = '', last = ''] = group[0] ?? []
  const other = people[(at + 1) % people.length]?.[0] ?? ['', '']
  return [
    { row: { first_name: first, last_name: last }, record: { first: null, last: null } },
    { row: { last_name: last }, record: { first: other[0], last: null } },
    { row: { last_name: last, company_name: 'Tidewater' }, record: { first, last, employers: [] } },
    ...(inLatin(last) === inLatin(other[1])
      ? []
      : [{ row: { last_name: last }, record: { first: null, last: other[1] } }]),
  ]
})

const strangers: readonly (readonly [string, string])[] = [
  ['Ottilie', 'Brackenridge'],
  ['Deniz', 'Karamanoglu'],
  ['Fergus', 'MacUlloch'],
  ['Ingrid', 'Halvorsen'],
  ['Paolo', 'Terranova'],
  ['Wanda', 'Zielonka'],
  ['Yusra', 'Benhammou'],
  ['Виктор', 'Громовой'],
  ['Ξένια', 'Ζωγραφάκη'],
]

export const different: readonly Pair[] = [
  ...people.flatMap((group) =>
    group.flatMap((one) => {
      const others = strangers.filter(([, last]) => scriptOf(last) === scriptOf(one[1]) && scriptOf(last) !== null)
      return others.map((other) => named(one, other))
    }),
  ),
  ...companies.flatMap((group, at): Pair[] => {
    const other = companies[(at + 1) % (companies.length - 1)]?.[0] ?? ''
    const row = group.find(inLatin) ?? ''
    return at === companies.length - 1 || other === group[0]
      ? []
      : [{ row: { company_name: row }, record: { first: 'Ada', last: 'Quill', employers: [other] } }]
  }),
  ...strangers.map(([first, last]): Pair => {
    return { row: { last_name: last, country_code: 'DE' }, record: { first, last, country: 'PT' } }
  }),
]

function scriptOf(text: string): string | null {
  if (/\p{Script=Latin}/u.test(text)) return 'Latin'
  if (/\p{Script=Cyrillic}/u.test(text)) return 'Cyrillic'
  return /\p{Script=Greek}/u.test(text) ? 'Greek' : null
}
