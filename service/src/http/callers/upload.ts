import type { IncomingMessage } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Failure, plainFailure } from '../../foundation/failure.ts'
import { allowLongBody } from '../exchange/whole-request.ts'

/** The time that an upload may stall. Received bytes earn it back at the minimum rate. */
const waitAtMostMs = 8_000
/** Minimum rate. At this rate the largest upload takes 55 minutes, and an upload may take an hour. */
const leastBytesPerMs = 16
/** About a hundred rows, which take about a millisecond to read. */
const partBytes = 4_096

/** Resolves when the next part of an upload may be read. */
type NextPart = () => Promise<unknown>

/**
 * The body of a long upload in small parts, each read in its turn. An upload below the minimum rate or with a lost
 * connection fails, because it holds one of a few slots. Only time spent waiting for the sender counts. The server
 * discards what the reader leaves unread.
 */
export function uploadOf(
  request: IncomingMessage,
  nextPart: NextPart,
  { isPacked = false } = {},
): AsyncGenerator<Buffer> {
  // Reading may start late, after other uploads.
  allowLongBody(request.socket)
  return partsOf(request, isPacked ? unpacked(piecesOf(request)) : piecesOf(request), nextPart)
}

/** Splits the body so that other calls run between parts. Stops once the connection is lost. */
async function* partsOf(
  request: IncomingMessage,
  pieces: AsyncIterable<Buffer>,
  nextPart: NextPart,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += partBytes) {
      await nextPart()
      if (isLost(request)) throw lost
      yield piece.subarray(from, from + partBytes)
    }
  }
}

async function* piecesOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  let leftMs = waitAtMostMs
  while (!request.readableEnded) {
    if (isLost(request)) throw lost
    const piece = request.read() as Buffer | null
    if (piece) {
      leftMs = Math.min(waitAtMostMs, leftMs + piece.length / leastBytesPerMs)
      yield piece
      continue
    }
    const since = performance.now()
    await nextPiece(request, leftMs)
    leftMs = Math.max(1, leftMs - (performance.now() - since))
  }
}

/** Whether the connection ended before the body did. `destroyed` alone is also true after a complete request. */
export function isLost({ destroyed, complete }: IncomingMessage): boolean {
  return destroyed && !complete
}

/** Limit on compressed bytes, equal to the limit on the uncompressed body. */
const packedAtMost = 50 * 1_048_576

/**
 * Decompresses a gzip body on another thread, in small chunks and no faster than they are read. A decompression bomb
 * therefore ends where the reader stops.
 */
async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // Compressed bytes may expand to nothing, so they are counted as well.
  let size = 0
  async function* counted() {
    for await (const piece of packed) {
      size += piece.length
      if (size > packedAtMost) throw tooLarge
      yield piece
    }
  }
  const unpacking = pipeline(Readable.from(counted(), { objectMode: false }), createGunzip(), () => undefined)
  try {
    for await (const piece of unpacking) yield piece as Buffer
  } catch (error) {
    throw error instanceof Failure ? error : notPacked
  }
}

const tooLarge = new Failure('body_too_large', { detail: 'A batch is at most 50 MB. Split the file.' })
const notPacked = new Failure('invalid_request', {
  detail: 'The body is not valid gzip.',
  errors: [{ parameter: 'body', detail: 'is not valid gzip' }],
})
const slow = new Failure('invalid_request', {
  detail: `The body came too slowly: send at least ${leastBytesPerMs} KB a second. Nothing was kept.`,
  errors: [{ parameter: 'body', detail: 'came too slowly' }],
})
/** One shared failure: nobody reads it, and a flood of cancelled uploads must stay cheap. */
const lost = plainFailure('client_closed_request')
const signs = ['readable', 'end', 'close', 'error'] as const

/** Resolves when more bytes may be readable or the body has ended. Rejects after `withinMs`. */
async function nextPiece(request: IncomingMessage, withinMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(slow), withinMs)
  for (const sign of signs) request.on(sign, resolve)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    for (const sign of signs) request.off(sign, resolve)
  }
}
