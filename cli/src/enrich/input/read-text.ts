import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { CommandError } from '../../command-error.ts'

const headBytes = 4_096

type Bytes = AsyncIterable<Buffer>

/** Finds the encoding of an input: the given one, else by byte order mark, else by its bytes. */
export async function detectEncoding(open: () => Bytes, given: string | undefined): Promise<string> {
  if (given !== undefined && given !== 'utf-16') return given
  const head = await headOf(open())
  const found = byMark(head) ?? (given === undefined ? utf16Of(head) : 'utf-16le')
  return found ?? ((await isUtf8Text(open())) ? 'utf-8' : 'windows-1252')
}

async function headOf(source: Bytes): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of source) {
    pieces.push(piece)
    if (pieces.reduce((sum, { length }) => sum + length, 0) >= headBytes) break
  }
  return Buffer.concat(pieces).subarray(0, headBytes)
}

/** Checks the name of an encoding. All encodings of browsers are known. */
export function readEncoding(label: string): string {
  const plain = label.toLowerCase()
  if (plain === 'utf-16' || plain === 'utf16') return 'utf-16'
  try {
    return new TextDecoder(plain).encoding
  } catch {
    throw new CommandError(`--encoding ${label} is not supported. Use utf-8, utf-16le, utf-16be or windows-1252.`, {
      exitCode: 2,
    })
  }
}

/** Decodes an input. Invalid bytes are an error, never replaced silently. */
export async function* decode(source: Bytes, encoding: string): AsyncGenerator<string> {
  const decoder = strict(encoding)
  try {
    for await (const piece of source) {
      const text = decoder.decode(piece, { stream: true })
      if (text !== '') yield text
    }
    const rest = decoder.decode()
    if (rest !== '') yield rest
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new CommandError(`The input is not ${encoding}: some bytes are not valid in it. Set --encoding.`, {
      cause: error,
    })
  }
}

function strict(encoding: string): TextDecoder {
  return new TextDecoder(encoding, { fatal: true })
}

function byMark(head: Buffer): string | null {
  if (head.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) return 'utf-8'
  if (head.subarray(0, 2).equals(Buffer.from([0xff, 0xfe]))) return 'utf-16le'
  return head.subarray(0, 2).equals(Buffer.from([0xfe, 0xff])) ? 'utf-16be' : null
}

/** Detects UTF-16 without a mark: ASCII characters have a zero byte, second in little-endian and first in big-endian. */
function utf16Of(head: Buffer): string | null {
  const zeros = [...head.keys()].filter((index) => head[index] === 0)
  const odd = zeros.filter((index) => index % 2 === 1).length
  const even = zeros.length - odd
  const isPlainText = isUtf8(head) && zeros.length * 5 < head.length
  if (even === odd || isPlainText) return null
  return odd > even ? 'utf-16le' : 'utf-16be'
}

async function isUtf8Text(source: Bytes): Promise<boolean> {
  const decoder = strict('utf-8')
  try {
    for await (const piece of source) decoder.decode(piece, { stream: true })
    decoder.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}
