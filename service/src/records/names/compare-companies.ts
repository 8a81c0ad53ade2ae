import { parse } from 'tldts'
import { areSpellings, compareLastWords, nameWords, plain } from './compare-names.ts'
import { differInScript } from './compare-scripts.ts'
import { latinSpellings } from './transliterate.ts'
import table from './company-words.json' with { type: 'json' }

/*
 * `company-words.json` lists words that many companies share: legal forms, small words, sectors, places. The remaining
 * words of a name are distinctive.
 */

/** In an abbreviation each letter counts. */
const spelled = (word: string) => (word.length > 3 ? plain(word) : word)
const wordsOf = (text: string) => text.split(' ').map(spelled)
const small = new Set(wordsOf(table.small))
const empty = new Set([...wordsOf(table.legal), ...small])
const common = new Set([...empty, ...wordsOf(table.generic), ...wordsOf(table.sector), ...wordsOf(table.place)])
const aliases = table.aliases.map((row) => new Set(wordsOf(row)))

/**
 * True if two names can belong to one company: all distinctive words of the shorter one occur in the other. If a name
 * has no distinctive words, all words count: `Bank of America` is not `Bank of China`.
 */
export function companiesMayAgree(one: string, other: string): boolean {
  const [a, b] = [tellingWords(one), tellingWords(other)]
  if (a.length === 0 || b.length === 0 || cannotCompare(a, b)) return true
  if (a.join('') === b.join('') || areAliases(a, b) || isAbbreviated(one, other) || isAbbreviated(other, one))
    return true
  const [distinctive, its] = [distinctiveOf(a), distinctiveOf(b)]
  const isPlain = distinctive.length === 0 || its.length === 0
  const [mine, theirs] = isPlain ? [a, b] : [distinctive, its]
  return mine.length <= theirs.length ? standIn(mine, b) : standIn(theirs, a)
}

/** True if a text, such as a headline, contains all words that distinguish this company. */
export function mentionsCompany(text: string, name: string): boolean {
  const words = tellingWords(name)
  const distinctive = distinctiveOf(words)
  const wanted = distinctive.length > 0 ? distinctive : words
  return wanted.length > 0 && standIn(wanted, nameWords(text).map(spelled))
}

/**
 * The words of a name without legal forms and small words, unless it has no others. Single letters are joined into one
 * word.
 */
function tellingWords(name: string): string[] {
  const words = allWords(name)
  const [telling = words] = [empty, small]
    .map((all) => words.filter((word) => !all.has(word)))
    .filter((left) => left.length > 0)
  return telling
}

function allWords(name: string): string[] {
  const undotted = name.replace(/(?<=(?<!\p{L})\p{L})\.(?=\s?\p{L}(?!\p{L}))/gu, '').replaceAll('.', ' ')
  const joined = nameWords(undotted.replace(/(?<=\p{L})&(?=\p{L})/gu, '')).join(' ')
  return joined
    .replace(/(?<!\S)\S(?: \S(?!\S))+/gu, (letters) => letters.replaceAll(' ', ''))
    .split(' ')
    .filter(Boolean)
    .map(spelled)
}

function distinctiveOf(words: readonly string[]): string[] {
  return words.filter(
    (word) => !common.has(word) && !latinSpellings(word).some((spelling) => common.has(spelled(spelling))),
  )
}

/** Whether each word occurs among the others, or in the others joined together. */
function standIn(words: readonly string[], others: readonly string[]): boolean {
  const together = others.join('')
  const isThere = (word: string) => others.some((its) => areOneWord(word, its)) || hasTogether(together, word)
  return words.every(isThere) || hasTogether(together, words.join('')) || others.some((its) => its === words.join(''))
}

/** `KestrelData` in `Kestrel Data`; short words would match by chance. */
function hasTogether(together: string, word: string): boolean {
  return word.length >= 6 && together.includes(word)
}

function areOneWord(one: string, other: string): boolean {
  if (one === other) return true
  const isLatin = latinSpellings(one)[0] === one && latinSpellings(other)[0] === other
  return isLatin ? areSpellings(one, other) : compareLastWords(one, other) === 'same'
}

/** Names in scripts that cannot be compared, such as kana and Latin letters. */
function cannotCompare(one: readonly string[], other: readonly string[]): boolean {
  const isForeign = (word: string) => latinSpellings(word).length === 0
  return one.some((a) => other.some((b) => (isForeign(a) || isForeign(b)) && !differInScript(a, b)))
}

function areAliases(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [one.join(''), other.join('')]
  return aliases.some((row) => row.has(a) && row.has(b))
}

/** `IBM` and `International Business Machines`, `P&G` and `Procter & Gamble`. */
function isAbbreviated(short: string, long: string): boolean {
  const letters = tellingWords(short).join('')
  if (letters.length < 2 || letters.length > 6) return false
  const all = allWords(long)
  const readings = [all, all.filter((word) => !empty.has(word)), all.filter((word) => !small.has(word))]
  return readings.some((words) => words.length > 1 && words.map((word) => word[0]).join('') === letters)
}

/**
 * True if two domains can belong to one company: the same name under any suffix, or one that matches the company's
 * name.
 */
export function domainsMayAgree(given: string, known: string, name: string | null): boolean {
  const [label, its] = [labelOf(given), labelOf(known)]
  if (!label || !its) return true
  return label === its || (name !== null && isCalledLike(given, name))
}

/**
 * Whether a company's name matches a domain: `Harrow Mills Ltd` matches `harrowmills.com`, `harrow-mills.de` and
 * `harrow.com`.
 */
export function isCalledLike(domain: string, name: string): boolean {
  const label = labelOf(domain) ?? ''
  const words = tellingWords(name)
  const written = spelled(label.replaceAll('-', ''))
  return [words, distinctiveOf(words)].some((all) => all.join('') === written) || companiesMayAgree(label, name)
}

/** The registered name of a domain without its suffix; null if absent. */
function labelOf(domain: string): string | null {
  const { domain: registered, domainWithoutSuffix } = parse(domain, { allowPrivateDomains: true })
  return registered ? domainWithoutSuffix : null
}
