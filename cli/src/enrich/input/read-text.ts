import { isAscii, isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { TextDecoder } from 'node:util'
import { peek } from './peek.ts'
import { CommandError } from '../../command-error.ts'

const headBytes = 4_096

/**
 * Finds the encoding of an input: the given one, else by byte order mark, else by its bytes. Null for a pipe without a
 * mark; its first non-ASCII bytes decide later.
 */
export async function detectEncoding(source: AsyncIterable<Buffer>, file: string | null, given: string | undefined) {
  const { pieces, all } = await peek(
    source,
    (read) => read.some((piece) => piece.includes(10)) || size(read) >= headBytes,
  )
  const head = Buffer.concat(pieces).subarray(0, headBytes)
  const encoding = given && given !== 'utf-16' ? given : (byMark(head) ?? (given ? 'utf-16le' : utf16Of(head)))
  if (encoding !== null || file === null) return { encoding, all }
  return { encoding: (await isUtf8File(file)) ? 'utf-8' : 'windows-1252', all }
}

/** Checks the name of an encoding. All encodings of browsers are known. */
export function readEncoding(label: string): string {
  const plain = label.toLowerCase()
  if (plain === 'utf-16' || plain === 'utf16') return 'utf-16'
  try {
    return new TextDecoder(plain).encoding
  } catch {
    throw new CommandError(`--encoding ${label} is not known. Give utf-8, utf-16le, utf-16be or windows-1252.`, {
      exitCode: 2,
    })
  }
}

/** Decodes an input. Invalid bytes are an error, never replaced silently. */
export async function* decode(source: AsyncIterable<Buffer>, encoding: string | null): AsyncGenerator<string> {
  let decoder = encoding === null ? null : strict(encoding)
  try {
    for await (const piece of source) {
      decoder ??= isAscii(piece) ? null : strict(beginsAsUtf8(piece) ? 'utf-8' : 'windows-1252')
      const text = decoder ? decoder.decode(piece, { stream: true }) : piece.toString('latin1')
      if (text !== '') yield text
    }
    const rest = decoder?.decode() ?? ''
    if (rest !== '') yield rest
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const name = decoder?.encoding ?? 'utf-8'
    throw new CommandError(
      `The input is not ${name}: some of its bytes mean nothing there. Give the right --encoding.`,
      {
        cause: error,
      },
    )
  }
}

function strict(encoding: string): TextDecoder {
  return new TextDecoder(encoding, { fatal: true })
}

function size(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0)
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

async function isUtf8File(file: string): Promise<boolean> {
  const decoder = strict('utf-8')
  try {
    for await (const piece of createReadStream(file)) decoder.decode(piece as Buffer, { stream: true })
    decoder.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** Whether a chunk is UTF-8; its last character may be incomplete. */
function beginsAsUtf8(piece: Buffer): boolean {
  try {
    strict('utf-8').decode(piece, { stream: true })
    return true
  } catch {
    return false
  }
}
