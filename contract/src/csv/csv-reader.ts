/** CSV that cannot be read. The message continues "it" or "the body". */
export class CsvFault extends Error {
  override readonly name = 'CsvFault'
}

export interface CsvForm {
  /** One character. */
  delimiter: string
  /** `\r` alone ends lines; otherwise `\n` does, with or without a preceding `\r`. */
  endsWithReturn: boolean
}

export interface CsvLimits {
  /** The maximum length of a record, in characters. */
  recordLength: number
  /** The maximum number of cells in a record. */
  cells: number
}

const [quote, lineFeed, carriageReturn] = [34, 10, 13]

/**
 * Parses CSV (RFC 4180) in pieces. Every cell is kept unchanged; empty lines are skipped. Lengths and cells are counted
 * while reading, so a record that is too large is refused before it is in memory.
 */
export class CsvReader {
  readonly #delimiter: number
  readonly #endsWithReturn: boolean
  readonly #limits: CsvLimits
  /** The line of the text that is being read, counted from 1. */
  #line: number
  /** The line in which the current record began, for records that are too large. */
  #recordLine: number
  /** The place of the quote that opened the current cell. */
  #quotedAt = ''
  #record: string[] = []
  #cell = ''
  #length = 0
  /** `quoted`: inside quotes; `closed`: after a quote that ends the cell or is the first of two. */
  #state: 'begin' | 'plain' | 'quoted' | 'closed' = 'begin'
  /** A return at the end of a piece: the next character decides whether it ends the line. */
  #held = ''

  /** `line` is the line of the text with which the first piece begins. */
  constructor({ delimiter, endsWithReturn }: CsvForm, limits: CsvLimits, line = 1) {
    this.#line = line
    this.#recordLine = line
    this.#delimiter = delimiter.charCodeAt(0)
    this.#endsWithReturn = endsWithReturn
    this.#limits = limits
  }

  /** The records that end in this piece. */
  *push(piece: string): Generator<string[]> {
    let text = this.#held + piece
    this.#held = !this.#endsWithReturn && text.endsWith('\r') ? '\r' : ''
    if (this.#held !== '') text = text.slice(0, -1)
    for (let at = 0; at < text.length; at++) {
      at = this.#takeRun(text, at)
      if (at >= text.length) break
      const code = text.charCodeAt(at)
      const ending = this.#state === 'quoted' ? 0 : this.#lineEndAt(text, at, code)
      if (ending > 0) {
        const record = this.#endRecord()
        this.#recordLine = ++this.#line
        if (record) yield record
        at += ending - 1
      } else this.#take(text, at, code)
    }
  }

  /** The last record, if no line end follows it. */
  end(): string[] | null {
    if (this.#state === 'quoted') throw mismatched(this.#quotedAt)
    if (this.#held !== '') {
      if (this.#state === 'closed') throw mismatched(this.#place)
      this.#cell += this.#held
      this.#state = 'plain'
    }
    return this.#endRecord()
  }

  /** Consumes ordinary characters at once. Returns the position of the first special one. */
  #takeRun(text: string, from: number): number {
    if (this.#state !== 'plain' && this.#state !== 'quoted') return from
    let at = from
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) break
      if (this.#state === 'quoted' && code === (this.#endsWithReturn ? carriageReturn : lineFeed)) this.#line++
      if (this.#state === 'plain' && (code === this.#delimiter || code === lineFeed || code === carriageReturn)) break
    }
    if (at > from) {
      this.#cell += text.slice(from, at)
      this.#count(at - from)
    }
    return at
  }

  /** The length of the line end at this position; 0 if absent. */
  #lineEndAt(text: string, at: number, code: number): number {
    if (this.#endsWithReturn) return code === carriageReturn ? 1 : 0
    if (code === lineFeed) return 1
    return code === carriageReturn && text.charCodeAt(at + 1) === lineFeed ? 2 : 0
  }

  #take(text: string, at: number, code: number): void {
    this.#count(1)
    if (this.#state === 'quoted') return void (this.#state = 'closed')
    if (code === this.#delimiter) return this.#endCell()
    if (code === quote) {
      if (this.#state === 'plain') throw mismatched(this.#place)
      if (this.#state === 'closed') this.#cell += '"'
      else this.#quotedAt = this.#place
      this.#state = 'quoted'
      return
    }
    if (this.#state === 'closed') throw mismatched(this.#place)
    this.#state = 'plain'
    this.#cell += text[at]
  }

  #endCell(): void {
    if (this.#record.length >= this.#limits.cells)
      throw new CsvFault(`has more than ${this.#limits.cells} columns in line ${this.#recordLine}`)
    this.#record.push(this.#cell)
    this.#cell = ''
    this.#state = 'begin'
  }

  #endRecord(): string[] | null {
    const isEmpty = this.#record.length === 0 && this.#state === 'begin'
    if (!isEmpty) this.#endCell()
    const record = this.#record
    this.#record = []
    this.#length = 0
    this.#state = 'begin'
    return isEmpty ? null : record
  }

  #count(characters: number): void {
    this.#length += characters
    if (this.#length > this.#limits.recordLength)
      throw new CsvFault(
        `has a record that is longer than ${Math.floor(this.#limits.recordLength / 1024)} KB, in line ${this.#recordLine}`,
      )
  }

  get #place(): string {
    return `line ${this.#line}, column ${this.#record.length + 1}`
  }
}

function mismatched(place: string): CsvFault {
  return new CsvFault(`is not valid CSV: the quotes do not match in ${place}`)
}
