/** What the header of a SQLite file says about its pages. */
export interface PageLayout {
  pageBytes: number
  /** Without what extensions reserve at the end of every page. */
  usableBytes: number
}

/** Reads the layout out of the first 100 bytes of a database file (sqlite.org/fileformat.html, section 1.3). */
export function pageLayout(header: Uint8Array): PageLayout {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  const size = view.getUint16(16)
  const pageBytes = size === 1 ? 65_536 : size
  return { pageBytes, usableBytes: pageBytes - view.getUint8(20) }
}

// Interior and leaf pages of indexes and tables.
const btreePages = new Set([2, 5, 10, 13])
const interiorPages = new Set([2, 5])

/**
 * The parts of a page that hold no row: the gap between the cell pointers and the cells, and the free blocks. A page
 * that is no b-tree page is given whole: it is free, or it continues a long row, which nobody can tell from the page.
 */
export function freePageBytes(page: Uint8Array, number: number, { usableBytes }: PageLayout): Uint8Array[] {
  // The first page begins with the header of the file.
  const start = number === 1 ? 100 : 0
  const type = page[start] ?? 0
  if (!btreePages.has(type)) return [page]
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  const pointers = start + (interiorPages.has(type) ? 12 : 8) + 2 * view.getUint16(start + 3)
  const cells = view.getUint16(start + 5) || 65_536
  const unused = [page.subarray(pointers, Math.min(cells, usableBytes))]
  for (let block = view.getUint16(start + 1); block > 0 && block + 4 <= usableBytes;) {
    const next = view.getUint16(block)
    unused.push(page.subarray(block + 4, block + view.getUint16(block + 2)))
    // Free blocks are in ascending order; anything else is a page that is being misread.
    block = next > block ? next : 0
  }
  return unused
}
