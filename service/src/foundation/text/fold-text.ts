import { normalised } from '@vitae/provider'

/** Letters without an accent to remove that are still searched for by a plain letter. */
const plain: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ð: 'd', æ: 'ae', œ: 'oe', þ: 'th' }

/** Most names: only the case has to be folded. */
const isPlain = /^[ -~]*$/

/** A text as the search compares it: without case, accents and extra spaces. */
export function foldText(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase().replace(/ {2,}/g, ' ').trim()
  return (
    normalised(text, 'NFKD')
      // Converted via upper case, so that letters with two lower-case forms become one; lower case first, because the
      // capital ẞ has no way back.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[øłđðæœþ]/g, (letter) => plain[letter] ?? letter)
      // PostgreSQL cannot store NUL in a text, and nobody searches for control characters.
      .replace(/\p{Cc}/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  )
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const longestWord = 64

/** The distinct folded words of a text. */
export function foldedWords(text: string): string[] {
  const words = foldText(text).split(/[^\p{L}\p{N}]/u)
  return [...new Set(words.filter((word) => word !== '').map((word) => word.slice(0, longestWord)))]
}

/**
 * The words by which a record is found. A name in a script without spaces is one word, and any part of it may be
 * searched for. The search compares prefixes, so each of its suffixes is added.
 */
export function searchWords(texts: readonly string[]): string[] {
  const words = texts.flatMap(foldedWords).flatMap((word) => (unspaced.test(word) ? endings(word) : [word]))
  return [...new Set(words)].slice(0, 60).toSorted()
}

function endings(word: string): string[] {
  const letters = [...word].slice(0, 20)
  return letters.map((_, start) => letters.slice(start).join(''))
}
