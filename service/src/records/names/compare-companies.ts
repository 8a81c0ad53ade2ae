import { parse } from 'tldts'
import { maySpellTheSame, nameWords } from './compare-names.ts'

/** Legal forms, and words that half of all companies have in their name. */
const saysNothing = new Set(
  (
    'ab ag as asa aps bhd bv bvba co company corp corporation cv dac ei eood eirl esp gbr gesmbh gmbh group groupe gruppe gruppo grupo ' +
    'holding holdings inc incorporated international intl kft kg kgaa kk kommanditgesellschaft lda limited llc llp lp lt ltd ltda mbh nv ' +
    'ohg ood oy oyj plc private pte pty pvt sa sarl sas sasu sdn sgps sia sl slu snc societe spa spolka spzoo sprl srl srls sro sp zoo tbk ' +
    'ug und the and of de la le du et y e & technologies technology solutions services consulting systems software global worldwide'
  ).split(' '),
)

/** True where two names can be of one company: legal forms do not count, abbreviations do. */
export function companiesMayAgree(given: string, known: string): boolean {
  const [one, other] = [meaningOf(given), meaningOf(known)]
  if (one.some((word) => other.some((its) => word.length > 1 && its.length > 1 && maySpellTheSame(word, its))))
    return true
  // A name without words is a part of every other.
  const [joined, its] = [one.join(''), other.join('')]
  if (joined.includes(its) || its.includes(joined)) return true
  return isAbbreviated(given, known) || isAbbreviated(known, given)
}

/** `IBM` and `International Business Machines`, `VW` and `Volkswagen`. */
function isAbbreviated(short: string, long: string): boolean {
  const letters = meaningOf(short).join('')
  if (letters.length > 6) return false
  const initials = [nameWords(long), meaningOf(long)].map((words) => words.map((word) => word[0]).join(''))
  return initials.some((all) => all.includes(letters)) || isInOrder(letters, meaningOf(long).join(''))
}

function isInOrder(letters: string, text: string): boolean {
  let at = 0
  for (const letter of text) if (letter === letters[at]) at++
  return at === letters.length && letters[0] === text[0]
}

function meaningOf(name: string): string[] {
  const words = nameWords(name.replaceAll('.', ''))
  const meant = words.filter((word) => !saysNothing.has(word))
  return meant.length > 0 ? meant : words
}

/** True where two domains can be of one company: of the same name under any ending, or one that the company's own name has. */
export function domainsMayAgree(given: string, known: string, name: string | null): boolean {
  const [one, other] = [given, known].map((domain) => parse(domain, { allowPrivateDomains: true }))
  if (!one?.domain || !other?.domain) return true
  const label = one.domainWithoutSuffix ?? ''
  return label === other.domainWithoutSuffix || (name !== null && companiesMayAgree(label, name))
}
