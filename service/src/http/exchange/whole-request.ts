import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const discardMs = 10_000
/** Larger than the largest body of any route. */
const discardBytes = 64 * 1_048_576
/** Rate limit of all connections together. At this rate, discarding bodies takes a few percent of a core. */
const discardedBytesPerMs = 50_000
/** Shorter pauses are not worth a timer. */
const pauseMs = 5
/** The time at which all bytes discarded so far are within the rate limit. */
let paidOffAt = 0

/** Whether a request announces a body, even an empty one. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/**
 * Serves a request that announces a body. A GET waits until its body has ended: otherwise a call would be charged
 * before its request proves invalid. For other methods, bytes that the handler leaves unread are discarded after the
 * response, or the connection could not read its next request.
 */
export function serveWhole(request: IncomingMessage, response: ServerResponse, handler: Handler): void {
  response.once('finish', () => discardRest(request))
  if (request.method !== 'GET' && request.method !== 'HEAD') return handler(request, response)
  request.once('end', () => handler(request, response))
  request.resume()
}

/**
 * Discards the rest of a body, because a client that is cut off while sending does not see its response. The rate limit
 * covers all connections: a flood of cancelled uploads must not slow down other calls.
 */
function discardRest(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return
  // The handler has stopped reading.
  request.removeAllListeners('readable').removeAllListeners('data')
  let left = discardBytes
  request.on('data', (piece: Buffer) => {
    left -= piece.byteLength
    if (left < 0) return void request.destroy()
    const now = performance.now()
    paidOffAt = Math.max(now, paidOffAt) + piece.byteLength / discardedBytesPerMs
    if (paidOffAt - now < pauseMs) return
    request.pause()
    setTimeout(() => request.resume(), paidOffAt - now).unref()
  })
  request.resume()
  const timer = setTimeout(() => request.destroy(), discardMs).unref()
  request.once('close', () => clearTimeout(timer))
}

const longBodies = new WeakSet<Duplex>()

/** Exempts the current request of a connection from the time limit; its reader sets its own. */
export function allowLongBody(socket: Duplex): void {
  longBodies.add(socket)
}

/** Ends the exemption of a connection; returns whether it had one. */
export function endLongBody(socket: Duplex): boolean {
  return longBodies.delete(socket)
}
