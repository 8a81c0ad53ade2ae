import type { IncomingMessage } from 'node:http'
import { Failure } from '../../foundation/failure.ts'
import { allowLongBody } from '../server.ts'

const silenceMs = 8_000

/**
 * The body of a request that may take long, piece by piece. Where nothing comes for some seconds while we wait for it, it
 * ends in a failure; so does a connection that is lost. What is left when the reader stops is read past by the server.
 */
export async function* uploadOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  allowLongBody(request.socket)
  while (!request.readableEnded) {
    const piece = request.read() as Buffer | null
    if (piece) yield piece
    else if (request.destroyed) break
    else await nextPiece(request)
  }
  if (!request.complete) throw lost
}

const slow = new Failure('invalid_request', { detail: 'The body came too slowly.' })
const lost = new Failure('invalid_request', { detail: 'The connection was lost before the body ended.' })
const signs = ['readable', 'end', 'close', 'error'] as const

/** Resolves when there may be more to read, or when nothing will come any more. */
async function nextPiece(request: IncomingMessage): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(slow), silenceMs)
  for (const sign of signs) request.on(sign, resolve)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    for (const sign of signs) request.off(sign, resolve)
  }
}
