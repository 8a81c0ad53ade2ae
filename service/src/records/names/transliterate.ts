/*
 * Latin spellings of Cyrillic and Greek names. Transliteration systems differ: if they differ in more than vowels, a
 * word has several spellings here, and `soundsOf` covers the others.
 */

const cyrillic: Record<string, string> = {
  ...lettersOf(
    'а a б b в v г g ґ g д d е e ё e ж zh з z и i й i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch',
  ),
  ...lettersOf(
    'ш sh щ shch ы i э e ю yu я ya є ye і i ї i ў u ђ dj ј j љ lj њ nj ћ c џ dz ѓ g ќ k ѕ dz ә a ғ g қ k ң n ө o ұ u ү u һ h',
  ),
  ь: '',
  ъ: '',
}
/** South Slavic spellings without diacritics: `Шимић` and `Simic`. */
const unmarked = { ж: 'z', ч: 'c', ш: 's', щ: 'sht', ћ: 'c', х: 'h', ц: 'c', ђ: 'd', ю: 'iu', я: 'ia' }

const greek: Record<string, string> = lettersOf(
  'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ i φ f χ ch ψ ps ω o',
)
const greekPairs: readonly [RegExp, string][] = [
  [/ου/g, 'ou'],
  [/(?<=[αε])υ(?=[αεηιοωβγδζλμνρ])/g, 'v'],
  [/(?<=[αε])υ/g, 'f'],
  [/^μπ/g, 'b'],
  [/^ντ/g, 'd'],
  [/^γκ/g, 'g'],
  [/γ(?=[γξχκ])/g, 'n'],
]

function lettersOf(table: string): Record<string, string> {
  const parts = table.split(' ')
  return Object.fromEntries(parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1] ?? '']] : [])))
}

/** The Latin spellings of a folded word in Latin, Cyrillic or Greek letters; empty for other or mixed alphabets. */
export function latinSpellings(word: string): readonly string[] {
  if (/^[\p{Script=Latin}\d]+$/u.test(word)) return [word]
  if (/^\p{Script=Cyrillic}+$/u.test(word))
    return distinct([written(word, cyrillic), written(word, { ...cyrillic, ...unmarked })])
  if (!/^\p{Script=Greek}+$/u.test(word)) return []
  const paired = greekPairs.reduce((text, [pattern, by]) => text.replace(pattern, by), word)
  // Before these vowels gamma is pronounced, and often written, as y: `Γιάννης` and `Yannis`.
  const softened = paired.replace(/γ(?=[εηιυ])/g, 'y')
  return distinct([written(paired, greek), written(softened, { ...greek, χ: 'h', η: 'e', υ: 'y' })])
}

function written(word: string, letters: Record<string, string>): string {
  return Array.from(word, (letter) => letters[letter] ?? letter).join('')
}

function distinct(spellings: string[]): string[] {
  return [...new Set(spellings)]
}
