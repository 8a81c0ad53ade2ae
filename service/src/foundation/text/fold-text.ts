/** Letters that have no accent to drop, yet are searched for by their plain neighbours. */
const plain: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ð: 'd', æ: 'ae', œ: 'oe', þ: 'th' }

/** What most names consist of: nothing to fold but the case. */
const isPlain = /^[ -~]*$/

/** A text as the operator's search compares it: without case, accents and spare spaces. */
export function foldText(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase().replace(/ {2,}/g, ' ').trim()
  return (
    text
      .normalize('NFKD')
      // By way of capitals, so that letters with two small forms become one; small first, for the one capital (ẞ) without a way back.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[øłđðæœþ]/g, (letter) => plain[letter] ?? letter)
      // PostgreSQL keeps no NUL in a text, and nobody searches for control characters.
      .replace(/\p{Cc}/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  )
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const longestWord = 64

/** The words of a text, folded, once each. */
export function foldedWords(text: string): string[] {
  const words = foldText(text).split(/[^\p{L}\p{N}]/u)
  return [...new Set(words.filter((word) => word !== '').map((word) => word.slice(0, longestWord)))]
}

/**
 * The words that a record is found by. Names in scripts without spaces are one word, of which any part is searched for:
 * each of their endings counts, because the search compares beginnings.
 */
export function searchWords(texts: readonly string[]): string[] {
  const words = texts.flatMap(foldedWords).flatMap((word) => (unspaced.test(word) ? endings(word) : [word]))
  return [...new Set(words)].slice(0, 60).toSorted()
}

function endings(word: string): string[] {
  const letters = [...word].slice(0, 20)
  return letters.map((_, start) => letters.slice(start).join(''))
}
