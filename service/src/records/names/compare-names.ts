import { foldText } from '../../foundation/text/fold-text.ts'
import { editDistance } from '../../foundation/text/nearest-name.ts'
import { differInScript } from './compare-scripts.ts'
import { isRomanisedAlike } from './family-names.ts'
import { areForms, firstNameKey, fullNamesOf, isListed } from './first-names.ts'
import { soundAlike } from './sounds.ts'
import { latinSpellings } from './transliterate.ts'

/**
 * How well two names agree. `same`: spellings or forms of one name, or nothing comparable. `alike`: an initial, a
 * similar sound or a first letter, which is enough only if the other name agrees better. `other`: two different names.
 */
export type Agreement = 'same' | 'alike' | 'other'

/** Longer than any name. Each word of a name is compared with each of the other name, and letter by letter. */
const longestName = 300

/** The words of a name, folded. */
export function nameWords(text: string): string[] {
  return foldText(text.slice(0, longestName).replace(/['’`]/g, ''))
    .split(/[^\p{L}\p{N}]/u)
    .filter((word) => word !== '')
}

const titles = new Set(
  (
    'mr mrs ms miss mx dr prof professor sir dame lord lady rev reverend hon herr frau fru hr sr sra srta dott ing dipl mag mme mlle ' +
    'jr junior senior ii iii iv phd dphil md mba msc bsc ma ba ms bs mph jd llm llb esq cpa cfa pmp phr cissp rn dds pe med obe mbe'
  ).split(' '),
)

/** The words of a name without titles and degrees, unless nothing else is left. */
export function withoutTitles(name: string): string[] {
  const words = name.split(/[\s,]/u).filter((word) => word !== '')
  const meant = words.filter((word) => !titles.has(foldText(word).replaceAll('.', '')))
  return meant.length > 0 ? meant : words
}

/** Small words that are too common in names to distinguish them. */
const particles = new Set(
  'da das de del della den der des di dos du e el la las le los van von vom y zu zum al ibn bin ben bint abu ter ten af av'.split(
    ' ',
  ),
)

function withoutParticles(words: readonly string[]): readonly string[] {
  const meant = words.filter((word) => !particles.has(word))
  return meant.length > 0 ? meant : words
}

/** Particles and clan prefixes that may also be written together with the next word. */
const attached = /^(?:van|von|vom|den|der|ter|ten|de|del|della|di|da|du|la|le|el|al|o|mac|mc)+(?=.{4})/

/** How well two last names agree. If they have several words, one matching word is enough. */
export function compareLastNames(one: string, other: string): Agreement {
  const [words, its] = [nameWords(one), nameWords(other)]
  if (words.length === 0 || its.length === 0) return 'same'
  const best = bestOf(withoutParticles(words), withoutParticles(its), compareLastWords)
  return best !== 'same' && areJoined(words, its) ? 'same' : best
}

/** How well two first names agree: short forms and forms in other languages are the same name. */
export function compareFirstNames(one: string, other: string): Agreement {
  const [words, its] = [nameWords(one), nameWords(other)]
  if (words.length === 0 || its.length === 0) return 'same'
  const best = bestOf(words, its, compareFirstWords)
  if (best === 'same' || areJoined(words, its)) return 'same'
  return areInitials(words, its) || areInitials(its, words) ? 'alike' : best
}

function bestOf(words: readonly string[], its: readonly string[], compare: typeof compareLastWords): Agreement {
  const found = new Set(words.flatMap((word) => its.map((other) => compare(word, other))))
  return found.has('same') ? 'same' : found.has('alike') ? 'alike' : 'other'
}

/** `van den Berg` and `Vandenberg`, `Al-Hashouri` and `Hashouri`, `Wei Ming` and `Weiming`. */
function areJoined(words: readonly string[], its: readonly string[]): boolean {
  const [one, other] = [words, its].map((all) => plain(all.join('')))
  if (one === undefined || other === undefined) return false
  return one === other || one.replace(attached, '') === other.replace(attached, '')
}

/** `JP` and `Jean-Pierre`. */
function areInitials([short = '', ...more]: readonly string[], long: readonly string[]): boolean {
  return more.length === 0 && long.length > 1 && short === long.map((word) => word[0]).join('')
}

/** Compares two folded words of last names. */
export function compareLastWords(one: string, other: string): Agreement {
  if (isRomanisedAlike(one, other)) return 'same'
  const known = compareScripts(one, other)
  if (known) return known
  const pairs = spellingPairs(one, other)
  if (one.length === 1 || other.length === 1) return pairs.some(([a, b]) => a[0] === b[0]) ? 'alike' : 'other'
  if (pairs.some(([a, b]) => areSpellings(a, b))) return 'same'
  const isTransliterated = pairs.length > 1 || one !== pairs[0]?.[0] || other !== pairs[0]?.[1]
  if (!pairs.some(([a, b]) => soundAlike(a, b, isTransliterated ? 1 : 3) && isNear(a, b))) return 'other'
  return isTransliterated ? 'same' : 'alike'
}

function compareFirstWords(one: string, other: string): Agreement {
  const known = compareScripts(one, other)
  if (known) return known
  const pairs = spellingPairs(one, other)
  const isOne = (test: (a: string, b: string) => boolean) => pairs.some(([a, b]) => test(a, b))
  if (one.length === 1 || other.length === 1) return isOne(shareInitial) ? 'alike' : 'other'
  if (isOne((a, b) => firstNameKey(a) === firstNameKey(b) || areForms(a, b))) return 'same'
  // Both names are in the list, but not as forms of one name.
  if (isOne((a, b) => isListed(a) && isListed(b))) return 'other'
  if (isOne((a, b) => areSpellings(a, b) || isBeginning(a, b) || isBeginning(b, a))) return 'same'
  return isOne(shareInitial) || isOne((a, b) => soundAlike(a, b, 2) && isNear(a, b)) ? 'alike' : 'other'
}

/** The result that the scripts alone determine; null for two words in alphabets that are compared letter by letter. */
function compareScripts(one: string, other: string): Agreement | null {
  if (differInScript(one, other)) return 'other'
  return latinSpellings(one).length === 0 || latinSpellings(other).length === 0 ? 'same' : null
}

function spellingPairs(one: string, other: string): [string, string][] {
  const its = latinSpellings(other)
  return latinSpellings(one).flatMap((a) => its.map((b): [string, string] => [a, b]))
}

/** True if two Latin words differ only by a typo, spelling or grammar. */
export function areSpellings(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)]
  if (a === b) return true
  const length = Math.max(a.length, b.length)
  const slips = length >= 10 ? 2 : length >= 5 ? 1 : 0
  if (a[0] === b[0] && editDistance(a, b) <= slips) return true
  const its = stemsOf(b)
  return stemsOf(a).some((stem) => its.includes(stem))
}

/** Endings that depend on the gender of the bearer: `Petrov` and `Petrova`, `Papadelis` and `Papadeli`. */
const endings: readonly [RegExp, string][] = [
  [/(?:ov|ev)a$/, ''],
  [/(?<=[ei]n|[oei]v)a$/, ''],
  [/(?<=s|c)k(?:a|aia|i|oi|a?ia)$/, 'k'],
  [/(?<=.{5})(?:ou|os|is|as|es|[ai])$/, ''],
]

function stemsOf(word: string): string[] {
  return [word, ...endings.filter(([ending]) => ending.test(word)).map(([ending, by]) => word.replace(ending, by))]
}

/** Unifies written-out umlauts, doubled letters, and letters that differ only between transliteration systems. */
export function plain(word: string): string {
  return word
    .replace(/^mac(?=[a-z]{3})/, 'mc')
    .replace(/(?<=[aou])e(?=.)/g, '')
    .replace(/ph/g, 'f')
    .replace(/th/g, 't')
    .replace(/ck/g, 'k')
    .replace(/w/g, 'v')
    .replace(/i[jy]|[jy]/g, 'i')
    .replace(/(.)\1+/gu, '$1')
}

/** At least half of the letters agree: words that sound alike but look different are rarely one name. */
function isNear(one: string, other: string): boolean {
  return editDistance(one, other) <= Math.floor(Math.max(one.length, other.length) / 2)
}

function isBeginning(short: string, long: string): boolean {
  return short.length >= 3 && long.startsWith(short)
}

function shareInitial(one: string, other: string): boolean {
  const its = new Set([other, ...fullNamesOf(other)].map((name) => name[0]))
  return [one, ...fullNamesOf(one)].some((name) => its.has(name[0]))
}
