/**
 * From names to row numbers in a dozen bytes per name, so that millions of rows fit. It keeps hashes, not the names:
 * a hit is a candidate that the caller must compare with the row itself.
 */
export interface NameIndex {
  add(name: string, row: number): void
  /** Rows that may have the name, the last added first. */
  candidates(name: string): number[]
}

/** An empty index. */
export function createNameIndex(): NameIndex {
  let count = 0
  let hashes = new Uint32Array(1_024)
  let rows = new Uint32Array(1_024)
  /** Open addressing: entry number + 1, or 0 for a free slot. At most half full. */
  let slots = new Uint32Array(2_048)

  function place(entry: number): void {
    const mask = slots.length - 1
    let slot = (hashes[entry] ?? 0) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = entry + 1
  }

  function grow(): void {
    hashes = enlarged(hashes)
    rows = enlarged(rows)
    slots = new Uint32Array(slots.length * 2)
    for (let entry = 0; entry < count; entry++) place(entry)
  }

  return {
    add(name, row) {
      if (count === hashes.length) grow()
      hashes[count] = hashOf(name)
      rows[count] = row
      place(count)
      count += 1
    },
    candidates(name) {
      const hash = hashOf(name)
      const mask = slots.length - 1
      const found: number[] = []
      for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
        const entry = (slots[slot] ?? 1) - 1
        if (hashes[entry] === hash) found.push(rows[entry] ?? 0)
      }
      return found.toSorted((a, b) => b - a)
    },
  }
}

function enlarged(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** FNV-1a over UTF-16 units, with a last mixing so that the low bits are as good as the high ones. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  return Math.imul(hash, 0x2c1b3c6d) >>> 0
}
