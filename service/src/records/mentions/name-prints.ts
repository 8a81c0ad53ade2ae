/*
 * A print is a 24-bit hash of a word that may be a name or a part of one: of an id, a slug or a URN. The prints of a body
 * show within a microsecond that it does not mention somebody; a match must be confirmed by searching the body. A word is
 * a run of ASCII letters, digits, `_` and `-`. Whether a word of a body counts depends on its place:
 *
 * - anywhere: three or more digits, words that mix letters with digits or dashes, and words of more than fifteen letters;
 * - plain letters: only as a segment of an address (after a slash) or as a whole string;
 * - never: dates, and words that are joined by `_` alone, because field names are.
 *
 * `printOfName` follows the same rules and returns null for a name that they do not cover: then every body is searched.
 */

export const printBytes = 3
/** A body with more words than this is always searched. */
const printsAtMost = 4_096
const letter = 1
const digit = 2
const dash = 4
const underscore = 8
const classes = new Uint8Array(256)
for (let byte = 0; byte < 128; byte++) {
  const text = String.fromCharCode(byte)
  classes[byte] = /[a-z]/i.test(text)
    ? letter
    : /\d/.test(text)
      ? digit
      : text === '-'
        ? dash
        : text === '_'
          ? underscore
          : 0
}
const quote = 0x22
const percent = 0x25
const slash = 0x2f
const colon = 0x3a
const backslash = 0x5c
const smallU = 0x75
const space = 0x20
const longLetters = 16

/** The facts about one word. */
interface Word {
  print: number
  /** Whether it counts anywhere; otherwise only in places where a name is expected. */
  anywhere: boolean
}

/** Words that make no print. */
const dateLike = /^\d{4}-/

/** Classifies a word by the kinds of its characters; null if it never counts. */
function classify(kinds: number, length: number, isDate: boolean): 'anywhere' | 'as a name' | null {
  if (length < 3 || isDate) return null
  if (kinds === letter) return length >= longLetters ? 'anywhere' : 'as a name'
  if ((kinds & ~(letter | underscore)) === 0) return null
  if ((kinds & letter) === 0 && kinds !== digit) return length >= 6 && (kinds & digit) !== 0 ? 'anywhere' : null
  return 'anywhere'
}

/** The print of a hash. Its bits are mixed, because the last bytes affect only the lower ones. */
function printOf(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return (mixed ^ (mixed >>> 15)) >>> 8
}

const firstHash = 0x811c9dc5

const written = new Uint8Array((printsAtMost + 1) * printBytes)
let count = 0
/**
 * Prints already added for this body: each slot holds the last print that mapped to it, with the number of its body.
 */
const known = new Float64Array(4_096)
let bodyNumber = 0

function addPrint(print: number): void {
  const mark = bodyNumber * 2 ** 24 + print
  const place = print & 4_095
  if (known[place] === mark || count > printsAtMost) return
  known[place] = mark
  const at = count * printBytes
  written[at] = print >>> 16
  written[at + 1] = print >>> 8
  written[at + 2] = print
  count += 1
}

/** The prints of all names that may occur in some bodies, three bytes each, in any order. */
export function printsOf(bodies: readonly Uint8Array[]): Uint8Array {
  bodyNumber += 1
  count = 0
  for (const body of bodies) addPrints(body)
  // Never empty: the embedded engine treats an empty blob as null.
  if (count === 0) addPrint(0)
  // A single byte means that there are too many prints.
  return count > printsAtMost ? new Uint8Array(1) : written.slice(0, count * printBytes)
}

/** One pass over all bytes. Most words are ordinary text, which the first condition excludes. */
function addPrints(body: Uint8Array): void {
  const kindOf = classes
  const length = body.length
  for (let at = 0; at < length; at++) {
    const byte = body[at] as number
    let kinds = kindOf[byte] as number
    if (kinds !== 0) {
      const start = at
      let kind = kinds
      do {
        kinds |= kind
        at += 1
        kind = at < length ? (kindOf[body[at] as number] as number) : 0
      } while (kind !== 0)
      const counts = (kinds & (digit | dash)) !== 0 || (kinds === letter && mayCount(body, start, at))
      if ((counts && at - start > 2) || at === length) addWord(body, start, at, kinds)
      // The byte that ended the word is processed next.
      at -= 1
    } else if (byte === backslash) {
      // An escape is not part of the word that follows it.
      at = afterEscape(body, at)
    } else if (byte === percent) {
      // `%2Fada` is `/ada` to some readers, and `2Fada` to others.
      addWordAt(body, at + 3)
    }
  }
}

/** Whether plain letters stand where a name may stand alone, or are too long for an ordinary word. */
function mayCount(body: Uint8Array, start: number, end: number): boolean {
  const before = body[start - 1]
  return before === slash || (before === quote && body[end] === quote) || end - start >= longLetters
}

/** Adds the word that follows an escape; returns the position of the last byte before the next word. */
function afterEscape(body: Uint8Array, at: number): number {
  const last = at + (body[at + 1] === smallU ? 5 : 1)
  addWordAt(body, last + 1)
  return last
}

/** Adds the word that begins after something that may stand for a slash. */
function addWordAt(body: Uint8Array, start: number): void {
  let kinds = 0
  let end = start
  for (let kind = classes[body[end] ?? 0] as number; kind !== 0; kind = classes[body[++end] ?? 0] as number)
    kinds |= kind
  if (kinds !== 0 && classify(kinds, end - start, isDate(body, start)) !== null)
    addPrint(printOf(hashOf(body, start, end)))
}

function addWord(body: Uint8Array, start: number, end: number, kinds: number): void {
  const before = body[start - 1]
  // The number of a URN counts, whatever follows it.
  if (before === colon && kinds !== digit && (kinds & digit) !== 0) addDigits(body, start)
  const verdict = classify(kinds, end - start, isDate(body, start))
  if (verdict === 'anywhere' || (verdict !== null && (before === slash || isWholeText(body, start, end))))
    addPrint(printOf(hashOf(body, start, end)))
}

function addDigits(body: Uint8Array, start: number): void {
  let end = start
  while (classes[body[end] ?? 0] === digit) end += 1
  if (end > start) addPrint(printOf(hashOf(body, start, end)))
}

function hashOf(body: Uint8Array, start: number, end: number): number {
  let hash = firstHash
  for (let at = start; at < end; at++) {
    const byte = body[at] as number
    hash = Math.imul(hash ^ (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte), 0x01000193)
  }
  return hash
}

function isDate(body: Uint8Array, start: number): boolean {
  for (let at = start; at < start + 4; at++) if (classes[body[at] ?? 0] !== digit) return false
  return classes[body[start + 4] ?? 0] === dash
}

/** Whether a word is a whole string value, and not a field name. */
function isWholeText(body: Uint8Array, start: number, end: number): boolean {
  if (body[start - 1] !== quote || body[end] !== quote) return false
  let after = end + 1
  while (body[after] === space) after += 1
  return body[after] !== colon
}

/**
 * The print that every body containing the name has, or null if absent. `anywhere` is true if the name may stand
 * between other characters, not only as a whole string or in an address.
 */
export function printOfName(name: string, anywhere: boolean): number | null {
  const words = [...name.matchAll(/[a-z\d_-]+/g)]
  const sure = words
    .filter(({ 0: word, index }) => {
      // A separate accent may follow: then the word in the body may be longer by one letter.
      const isCut = (name.codePointAt(index + word.length) ?? 0) > 127
      return !isCut && wordOf(word)?.anywhere === true
    })
    .toSorted((one, other) => other[0].length - one[0].length)[0]
  if (sure) return wordOf(sure[0])?.print ?? null
  return !anywhere && words[0]?.[0] === name ? (wordOf(name)?.print ?? null) : null
}

function wordOf(text: string): Word | null {
  const bytes = Buffer.from(text)
  const kinds = bytes.reduce((all, byte) => all | (classes[byte] ?? 0), 0)
  const verdict = classify(kinds, bytes.length, dateLike.test(text))
  if (verdict === null) return null
  return { print: printOf(hashOf(bytes, 0, bytes.length)), anywhere: verdict === 'anywhere' }
}
