import { createReadStream } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { CommandError } from './command-error.ts'

export interface Lines {
  /** Null if unknown, as for a pipe. */
  size: number | null
  /** Lines without line ends, and the bytes read so far. Only one chunk of the file is in memory. */
  [Symbol.asyncIterator](): AsyncIterator<{ line: string; bytes: number }>
}

/** Reads a file line by line; `-` means standard input. */
export async function readLines(file: string): Promise<Lines> {
  const size = file === '-' ? null : await sizeOf(file)
  return { size, [Symbol.asyncIterator]: () => linesOf(file === '-' ? process.stdin : createReadStream(file)) }
}

async function sizeOf(file: string): Promise<number> {
  try {
    await access(file, constants.R_OK)
    const found = await stat(file)
    if (found.isDirectory()) throw new Error('it is a folder')
    return found.size
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<{ line: string; bytes: number }> {
  let bytes = 0
  let pieces: Buffer[] = []
  for await (const chunk of stream) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...pieces, chunk.subarray(from, end)])
      pieces = []
      yield { line: textOf(line), bytes: bytes + end + 1 }
      from = end + 1
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from))
    bytes += chunk.length
  }
  if (pieces.length > 0) yield { line: textOf(Buffer.concat(pieces)), bytes }
}

function textOf(line: Buffer): string {
  const text = line.toString()
  return text.endsWith('\r') ? text.slice(0, -1) : text
}
