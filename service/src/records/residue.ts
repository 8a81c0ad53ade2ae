/*
 * After an erasure the unused parts of the database file are searched for what was deleted: a row that once moved to
 * another page may have left a copy behind. There may be thousands of pieces to look for, so the search is one pass.
 */

const pieceBytes = 12

/** Makes the search: whether any piece of the deleted rows stands in some bytes. It finds all that is at least two pieces long. */
export function residueSearch(deleted: readonly Uint8Array[]): (bytes: Uint8Array) => boolean {
  const begins = new Uint8Array(1 << 16)
  const byBegin = new Map<number, Uint8Array[]>()
  for (const piece of deleted.flatMap(piecesOf)) {
    const begin = firstWord(piece)
    begins[slot(begin)] = 1
    const others = byBegin.get(begin)
    if (others) others.push(piece)
    else byBegin.set(begin, [piece])
  }
  return (bytes) => {
    // The last four bytes as one number, moved along.
    let word = 0
    for (let end = 0; end < bytes.length; end++) {
      word = (word << 8) | (bytes[end] ?? 0)
      if (begins[slot(word)] === 0) continue
      if (byBegin.get(word)?.some((piece) => standsAt(bytes, end - 3, piece))) return true
    }
    return false
  }
}

function piecesOf(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length < 4) return []
  if (bytes.length < pieceBytes) return [bytes]
  return Array.from({ length: Math.floor(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  ).filter((piece) => piece.some((byte) => byte !== 0))
}

function firstWord(bytes: Uint8Array): number {
  return bytes.subarray(0, 4).reduce((word, byte) => (word << 8) | byte, 0)
}

function slot(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> 16
}

function standsAt(bytes: Uint8Array, at: number, piece: Uint8Array): boolean {
  if (at < 0 || at + piece.length > bytes.length) return false
  return piece.every((byte, index) => bytes[at + index] === byte)
}
