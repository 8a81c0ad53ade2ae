const [quote, backslash, comma, openList, openObject] = [34, 92, 44, 91, 123]

/** Counts the values of a JSON text in pieces, without parsing it: every comma and every opening bracket. */
export class ValueCount {
  count = 0
  #inText = false
  #isEscaped = false

  add(piece: Uint8Array): void {
    // Local variables: object fields are ten times slower here.
    let [count, inText, isEscaped] = [0, this.#inText, this.#isEscaped]
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]
      if (inText) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) inText = false
      } else if (byte === quote) inText = true
      else if (byte === comma || byte === openList || byte === openObject) count++
    }
    this.count += count
    this.#inText = inText
    this.#isEscaped = isEscaped
  }
}

/** Whether a JSON text has more values than this. */
export function hasMoreValues(text: Uint8Array, atMost: number): boolean {
  // Each value takes at least one byte.
  if (text.length <= atMost) return false
  const values = new ValueCount()
  values.add(text)
  return values.count > atMost
}
