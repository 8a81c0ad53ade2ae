import { Complaints } from '../../foundation/failure.ts'
import { checkNesting, unreadable } from './limits.ts'

/** The maximum length of an id and of any other value. */
const valueAtMost = 65_536

/** The settings in a JSON body besides its ids. For an unknown member only a complaint is kept. */
export class JsonSettings {
  readonly values = new Map<string, unknown>()
  readonly complaints = new Complaints()
  readonly #isKnown: (name: string) => boolean

  constructor(isKnown: (name: string) => boolean) {
    this.#isKnown = isKnown
  }

  name(name: string): void {
    if (this.values.has(name)) throw unreadable(`has ${JSON.stringify(name.slice(0, 40))} more than once`)
    if (this.#isKnown(name)) this.values.set(name, null)
    else this.complaints.add(name, 'is not known')
  }

  set(name: string, value: unknown): void {
    if (this.values.has(name)) this.values.set(name, value)
  }
}

const [quote, backslash, comma, colon] = [34, 92, 44, 58]
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125]
/** JSON white space; `\s` would match more. */
const jsonSpace: ReadonlySet<number> = new Set([9, 10, 13, 32])

/** The expected token: a bracket or comma of the body itself, or a name, a value or an id. */
type Next = 'open' | 'first name' | 'name' | 'value' | 'first id' | 'id' | 'more' | 'nothing'

/**
 * Parses `{"ids":[...], ...}` in pieces and returns the ids of each piece. Other members go to `settings`; they may
 * come before or after the ids. Only the value being read is in memory.
 */
export class JsonInput {
  readonly #settings: JsonSettings
  #next: Next = 'open'
  #name = ''
  #token = ''
  #depth = 0
  #inText = false
  #isEscaped = false

  constructor(settings: JsonSettings) {
    this.#settings = settings
  }

  *push(piece: string): Generator {
    for (let at = 0; at < piece.length;) {
      if (this.#token === '' && jsonSpace.has(piece.charCodeAt(at))) at++
      else if (this.#token === '' && this.#takeSign(piece[at] ?? '')) at++
      else {
        const end = this.#scan(piece, at)
        this.#token += piece.slice(at, end)
        if (this.#token.length > valueAtMost) throw unreadable('has a value that is too long')
        at = end + 1
        if (end < piece.length) yield* this.#endToken(piece[end] ?? '')
      }
    }
  }

  /** Refuses an incomplete body. */
  end(): void {
    if (this.#next === 'open') throw unreadable('is not a JSON object')
    if (this.#next !== 'nothing') throw unreadable('ends in the middle')
  }

  /** Handles a bracket or comma between names, values and ids; false if one of these begins. */
  #takeSign(sign: string): boolean {
    if (this.#next === 'open' && sign !== '{') throw unreadable('is not a JSON object')
    const next = nextBehind(this.#next, sign, this.#name)
    if (next) this.#next = next
    else if (this.#next === 'more' || this.#next === 'nothing') throw unreadable('is not valid JSON')
    return next !== null
  }

  *#endToken(sign: string): Generator {
    const value = parsed(this.#token)
    this.#token = ''
    const isName = this.#next === 'first name' || this.#next === 'name'
    const isId = this.#next === 'first id' || this.#next === 'id'
    const next = nextAfterToken(isName, isId, sign)
    if (!next || (isName && typeof value !== 'string')) throw unreadable('is not valid JSON')
    this.#next = next
    if (isName) this.#settings.name((this.#name = String(value)))
    else if (isId) yield value
    else this.#settings.set(this.#name, value)
  }

  /** The position after a value or name; the end of the piece if it continues. */
  #scan(piece: string, from: number): number {
    // Local variables: object fields are ten times slower here.
    let [at, depth, inText, isEscaped] = [from, this.#depth, this.#inText, this.#isEscaped]
    for (; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (inText) {
        if (isEscaped) isEscaped = false
        else if (code === backslash) isEscaped = true
        else if (code === quote) inText = false
      } else if (code === quote) inText = true
      else if (code === openList || code === openObject) depth++
      else if (code === closeList || code === closeObject) {
        if (depth-- === 0) break
      } else if (depth === 0 && (code === comma || code === colon)) break
    }
    this.#depth = Math.max(0, depth)
    this.#inText = inText
    this.#isEscaped = isEscaped
    return at
  }
}

function nextBehind(next: Next, sign: string, name: string): Next | null {
  if (next === 'open') return 'first name'
  if (next === 'first name' && sign === '}') return 'nothing'
  if (next === 'value' && sign === '[' && name === 'ids') return 'first id'
  if (next === 'first id' && sign === ']') return 'more'
  if (next === 'more' && sign === ',') return 'name'
  return next === 'more' && sign === '}' ? 'nothing' : null
}

function nextAfterToken(isName: boolean, isId: boolean, sign: string): Next | null {
  if (isName) return sign === ':' ? 'value' : null
  if (isId) return sign === ',' ? 'id' : sign === ']' ? 'more' : null
  return sign === ',' ? 'name' : sign === '}' ? 'nothing' : null
}

function parsed(json: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw unreadable('is not valid JSON')
  }
  checkNesting(value)
  return value
}
