import { unreadable } from './unreadable.ts'

/** The longest id, and the longest of the other values, that is still read. */
const valueAtMost = 65_536

/**
 * Reads `{"ids":[...], ...}` piece by piece and gives the ids as they come, however many there are. The other members are
 * put into `settings`; they may stand before or behind the ids.
 */
export async function* readJsonInput(text: AsyncIterable<string>, settings: Map<string, unknown>): AsyncGenerator {
  const cursor = new Cursor(text)
  if ((await cursor.next()) !== '{') throw unreadable('is not a JSON object')
  const isEmpty = (await cursor.peek()) === '}'
  let end = isEmpty ? await cursor.next() : ','
  while (end === ',') {
    const name = parsed(await cursor.token())
    if (typeof name !== 'string' || cursor.end !== ':') throw unreadable('is not valid JSON')
    if (settings.has(name)) throw unreadable(`has ${JSON.stringify(name.slice(0, 40))} more than once`)
    settings.set(name, null)
    if (name === 'ids' && (await cursor.peek()) === '[') {
      yield* elements(cursor)
      end = await cursor.next()
    } else {
      settings.set(name, parsed(await cursor.token()))
      end = cursor.end
    }
  }
  if (end !== '}' || (await cursor.peek()) !== '') throw unreadable('is not valid JSON')
}

async function* elements(cursor: Cursor): AsyncGenerator {
  await cursor.next()
  if ((await cursor.peek()) === ']') return void (await cursor.next())
  do yield parsed(await cursor.token())
  while (cursor.end === ',')
  if (cursor.end !== ']') throw unreadable('is not valid JSON')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw unreadable('is not valid JSON')
  }
}

const [quote, backslash, comma, colon] = [34, 92, 44, 58]
/** What JSON takes for white space; `\s` takes more. */
const jsonSpace: ReadonlySet<number> = new Set([9, 10, 13, 32])
const opening: ReadonlySet<number> = new Set([91, 123])
const closing: ReadonlySet<number> = new Set([93, 125])

/** A place in a text that comes in pieces. Only the present piece and the present value are held. */
class Cursor {
  readonly #pieces: AsyncIterator<string>
  #piece = ''
  #at = 0
  /** The character behind the last token. */
  end = ''

  constructor(text: AsyncIterable<string>) {
    this.#pieces = text[Symbol.asyncIterator]()
  }

  /** The next character that is no white space, without going past it; empty at the end. */
  async peek(): Promise<string> {
    for (;;) {
      while (this.#at < this.#piece.length && jsonSpace.has(this.#piece.charCodeAt(this.#at))) this.#at++
      if (this.#at < this.#piece.length) return this.#piece[this.#at] ?? ''
      if (!(await this.#more())) return ''
    }
  }

  async next(): Promise<string> {
    const character = await this.peek()
    this.#at++
    return character
  }

  /** The text of one value or name, up to the comma, colon or bracket that follows it. */
  async token(): Promise<string> {
    const scan = { depth: 0, inText: false, isEscaped: false }
    let token = ''
    for (;;) {
      const start = this.#at
      const ended = this.#scan(scan)
      token += this.#piece.slice(start, this.#at)
      if (token.length > valueAtMost) throw unreadable('has a value that is too long')
      if (ended) {
        this.end = this.#piece[this.#at] ?? ''
        this.#at++
        return token
      }
      if (!(await this.#more())) throw unreadable('ends in the middle')
    }
  }

  /** Goes on to the end of the value; false where the piece ends first. */
  #scan(scan: { depth: number; inText: boolean; isEscaped: boolean }): boolean {
    for (; this.#at < this.#piece.length; this.#at++) {
      const code = this.#piece.charCodeAt(this.#at)
      if (scan.inText) {
        if (scan.isEscaped) scan.isEscaped = false
        else if (code === backslash) scan.isEscaped = true
        else if (code === quote) scan.inText = false
      } else if (code === quote) scan.inText = true
      else if (opening.has(code)) scan.depth++
      else if (scan.depth > 0) scan.depth -= closing.has(code) ? 1 : 0
      else if (code === comma || code === colon || closing.has(code)) return true
    }
    return false
  }

  async #more(): Promise<boolean> {
    const next = await this.#pieces.next()
    this.#at = 0
    this.#piece = next.done ? '' : next.value
    return !next.done
  }
}
