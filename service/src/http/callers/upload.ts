import type { IncomingMessage } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Failure, plainFailure } from '../../foundation/failure.ts'
import { allowLongBody } from '../server.ts'

/** An upload may let us wait for so long, and again for as long as its bytes take at the least pace. */
const waitAtMostMs = 8_000
/** At this pace the largest upload takes 55 minutes, and an upload may take an hour. */
const leastBytesPerMs = 16
/** Some hundred rows, whose reading takes about a millisecond. */
const partBytes = 4_096

/** Resolves when the next part of an upload may be read. */
type NextPart = () => Promise<unknown>

/**
 * The body of a request that may take long, in small parts, each when it may be read. A body that comes more slowly than the
 * least pace ends in a failure, because it holds one of few slots; so does a lost connection. Only the time in which we wait for
 * the sender counts. What is left when the reader stops is read past by the server.
 */
export function uploadOf(
  request: IncomingMessage,
  nextPart: NextPart,
  { isPacked = false } = {},
): AsyncGenerator<Buffer> {
  // Its reader may be a while in coming.
  allowLongBody(request.socket)
  return partsOf(request, isPacked ? unpacked(piecesOf(request)) : piecesOf(request), nextPart)
}

/** Calls come between the parts. Of an upload whose connection was lost no more is read. */
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

/** Whether the connection ended before the body did. A request is destroyed at its end too. */
export function isLost({ destroyed, complete }: IncomingMessage): boolean {
  return destroyed && !complete
}

/** As much as a body may have when it is unpacked: what is packed is not larger. */
const packedAtMost = 50 * 1_048_576

/**
 * A body that was packed with gzip, piece by piece. It is unpacked on another thread, in small pieces and no faster than they are
 * read, so that a small body that unpacks to a large one ends where the reader stops.
 */
async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // Packed bytes may give nothing at all, so they are counted too.
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
/** The same for every upload: nobody reads it, and a flood of cancelled uploads must stay cheap. */
const lost = plainFailure('client_closed_request')
const signs = ['readable', 'end', 'close', 'error'] as const

/** Resolves when there may be more to read, or when nothing will come any more. Rejects after this time. */
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
