import type { FileHandle } from 'node:fs/promises'

export interface Line {
  /** From 1, as editors count. */
  number: number
  offset: number
  /** Without its end; null where the line is longer than the limit. */
  bytes: Buffer | null
}

const newline = 0x0a
const chunkBytes = 256 * 1024

/** The lines of a file of any size, never holding more than one line and one chunk of it. */
export async function* readLines(file: FileHandle, maxLineBytes: number): AsyncGenerator<Line> {
  let held = Buffer.alloc(0)
  let offset = 0
  let number = 0
  /** Bytes of the present line that were let go because it is too long. */
  let dropped = 0
  const lineOf = (bytes: Buffer): Line => {
    const isTooLong = dropped + bytes.length > maxLineBytes
    const line = { number: ++number, offset, bytes: isTooLong ? null : withoutReturn(bytes) }
    offset += dropped + bytes.length + 1
    dropped = 0
    return line
  }

  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
    if (bytesRead === 0) break
    position += bytesRead
    const chunk = buffer.subarray(0, bytesRead)
    const data = held.length > 0 ? Buffer.concat([held, chunk]) : chunk
    let start = 0
    for (let end = data.indexOf(newline); end !== -1; end = data.indexOf(newline, start)) {
      yield lineOf(data.subarray(start, end))
      start = end + 1
    }
    held = data.subarray(start)
    if (held.length > maxLineBytes) {
      dropped += held.length
      held = held.subarray(0, 0)
    }
  }
  if (held.length + dropped > 0) yield lineOf(held)
}

function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes
}
