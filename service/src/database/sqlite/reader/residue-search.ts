/*
 * After an erasure the unused parts of the database file are searched for the deleted data: a row that once moved to
 * another page may have left a copy behind. There may be thousands of pieces to search for, so the search is one pass.
 */

const pieceBytes = 12

/** The deleted data as it was in the file. */
export interface DeletedBytes {
  /** Searched for in pieces: a part is as bad as all of it. */
  blobs: Uint8Array[]
  /** Searched for in full: half a name is part of many names. */
  texts: Uint8Array[]
}

/**
 * Builds the search: whether any of the deleted rows occurs in some bytes. It finds every part of a blob that is two
 * pieces long.
 */
export function residueSearch({ blobs, texts }: DeletedBytes): (bytes: Uint8Array) => boolean {
  const pieces = [...blobs.flatMap(piecesOf), ...texts.filter((text) => text.length >= 4)]
  // With few pieces the table stays in the CPU cache. With many, most of it must stay empty, or each byte would need a
  // lookup.
  const slotBits = pieces.length < 8_192 ? 16 : 24
  const slot = (word: number) => Math.imul(word, 0x9e3779b1) >>> (32 - slotBits)
  const begins = new Uint8Array(1 << slotBits)
  const byBegin = new Map<number, Uint8Array[]>()
  for (const piece of pieces) {
    const begin = firstWord(piece)
    begins[slot(begin)] = 1
    const others = byBegin.get(begin)
    if (others) others.push(piece)
    else byBegin.set(begin, [piece])
  }
  return (bytes) => {
    // The last four bytes as one number, shifted along.
    let word = 0
    for (let end = 0; end < bytes.length; end++) {
      word = (word << 8) | (bytes[end] ?? 0)
      if (begins[slot(word)] === 0) continue
      if (byBegin.get(word)?.some((piece) => standsAt(bytes, end - 3, piece))) return true
    }
    return false
  }
}

function piecesOf(blob: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  // The first bytes of all zstd frames are nearly the same.
  for (let end = 2 * pieceBytes; end <= blob.length; end += pieceBytes)
    pieces.push(blob.subarray(end - pieceBytes, end))
  return pieces.filter((piece) => piece.some((byte) => byte !== piece[0]))
}

function firstWord(bytes: Uint8Array): number {
  return bytes.subarray(0, 4).reduce((word, byte) => (word << 8) | byte, 0)
}

function standsAt(bytes: Uint8Array, at: number, piece: Uint8Array): boolean {
  if (at < 0 || at + piece.length > bytes.length) return false
  return piece.every((byte, index) => bytes[at + index] === byte)
}
