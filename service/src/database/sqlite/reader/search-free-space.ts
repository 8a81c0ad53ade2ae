import { closeSync, openSync, readSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type DeletedBytes, residueSearch } from './residue-search.ts'

export interface FreeSpaceSearch {
  path: string
  deleted: DeletedBytes
  afterPage: number
  /** The number of pages to search. */
  pages: number
}

export interface FreeSpaceFound {
  found: boolean
  /** Pass it as `afterPage` for the next chunk. */
  next: number
  done: boolean
}

/** In pages: a few megabytes are in memory at once. */
const readAtOnce = 256
/** In pages, 64 MB: this much is read while the file stands still, which keeps the log from starting over. */
const stillAtOnce = 16_384
/** A read that takes longer came from a slow disk: 100 MB/s. */
const slowReadMs = 10
const longestPage = 65_536
const longestRead = readAtOnce * longestPage
const zeros = Buffer.alloc(longestPage)

/**
 * Searches the unused parts of a chunk of a database file for deleted rows. `secure_delete` overwrites a deleted row,
 * but not a copy that an earlier page split may have left in the gap of another page (seen for one name in 6,000). Only
 * for a process without an open store, because it opens the file as bytes.
 */
export function searchFreeSpace({ path, deleted, afterPage, pages }: FreeSpaceSearch): FreeSpaceFound {
  const search = residueSearch(deleted)
  for (let page = afterPage; ;) {
    const some = searchSome(path, search, page, Math.min(stillAtOnce, afterPage + pages - page))
    if (some.done || some.next === afterPage + pages) return some
    page = some.next
  }
}

function searchSome(
  path: string,
  search: (bytes: Uint8Array) => boolean,
  afterPage: number,
  pages: number,
): FreeSpaceFound {
  return withStillFile(path, (read) => {
    const layout = pageLayout(read(0, 100))
    for (let page = afterPage; ;) {
      const count = Math.min(readAtOnce, afterPage + pages - page)
      if (count === 0) return { found: false, next: page, done: false }
      const chunk = read(page * layout.pageBytes, count * layout.pageBytes)
      const whole = Math.floor(chunk.length / layout.pageBytes)
      for (let index = 0; index < whole; index++, page++) {
        if (isEmptyButForRows(chunk, index * layout.pageBytes, page + 1, layout)) continue
        const bytes = chunk.subarray(index * layout.pageBytes, (index + 1) * layout.pageBytes)
        if (freePageBytes(bytes, page + 1, layout).some(search)) return { found: true, next: page, done: true }
      }
      if (whole < count) return { found: false, next: page, done: true }
    }
  })
}

/**
 * While a connection reads, nothing that was committed later is copied into the file. Pages committed between the
 * erasure and that moment may be: they contain no deleted rows either, and leftovers of an earlier split stay where
 * they were.
 */
function withStillFile<Result>(
  path: string,
  work: (read: (offset: number, length: number) => Buffer) => Result,
): Result {
  const reader = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  const file = openSync(path, 'r')
  try {
    reader.exec('begin')
    reader.prepare('select count(*) from sqlite_schema').get()
    const bytes = Buffer.alloc(longestRead)
    return work((offset, length) => {
      const began = performance.now()
      const size = readSync(file, bytes, 0, length, offset)
      const tookMs = performance.now() - began
      // The syncs of charges share that disk: they get it for as long.
      if (tookMs > slowReadMs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, tookMs)
      return bytes.subarray(0, size)
    })
  } finally {
    reader.close()
    closeSync(file)
  }
}

/** The page layout from the header of a SQLite file. */
interface PageLayout {
  pageBytes: number
  /** Without the bytes that extensions reserve at the end of every page. */
  usableBytes: number
}

/** Parses the layout from the first 100 bytes of a database file (sqlite.org/fileformat.html, section 1.3). */
function pageLayout(header: Uint8Array): PageLayout {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  const size = view.getUint16(16)
  const pageBytes = size === 1 ? 65_536 : size
  return { pageBytes, usableBytes: pageBytes - view.getUint8(20) }
}

// Interior and leaf pages of indexes and tables.
const btreePages = new Set([2, 5, 10, 13])
const interiorPages = new Set([2, 5])

/**
 * Whether a page of rows has no free block and only zeros between its pointers and its rows. That is most of a file:
 * where rows were only added, nothing was left behind. One comparison by the engine costs a tenth of a search.
 */
function isEmptyButForRows(file: Buffer, offset: number, number: number, { usableBytes }: PageLayout): boolean {
  const start = offset + (number === 1 ? 100 : 0)
  const type = file[start] ?? 0
  if (!btreePages.has(type) || file.readUInt16BE(start + 1) !== 0) return false
  const from = start + (interiorPages.has(type) ? 12 : 8) + 2 * file.readUInt16BE(start + 3)
  const to = offset + Math.min(file.readUInt16BE(start + 5) || 65_536, usableBytes)
  return from >= to || file.compare(zeros, 0, to - from, from, to) === 0
}

/**
 * The parts of a page that contain no row: the gap between the cell pointers and the cells, and the free blocks. A page
 * that is not a b-tree page is returned whole: it is free, or it continues a long row, which the page itself does not
 * show.
 */
function freePageBytes(page: Uint8Array, number: number, { usableBytes }: PageLayout): Uint8Array[] {
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
    // Free blocks are in ascending order; anything else means that the page is being misread.
    block = next > block ? next : 0
  }
  return unused
}
