import type { IncomingMessage, ServerResponse } from 'node:http'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const discardMs = 10_000
/** More than the largest body that any route takes. */
const discardBytes = 64 * 1_048_576
/** All connections together; at this pace reading past bodies takes some percent of a core. */
const discardedBytesPerMs = 50_000
/** A shorter pause is not worth a timer. */
const pauseMs = 5
/** When the bytes that were read past until now are paid off at that pace. */
let paidOffAt = 0

/** Whether a request announces a body, be it an empty one. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/**
 * Serves a request that announces a body. A GET is served only once its body has ended well: nobody reads that body, and a
 * call would be paid for before its request turns out to be broken. What the handler of any other method leaves unread is
 * read past after the answer, within limits, or the next request on the connection would never be read.
 */
export function serveWhole(request: IncomingMessage, response: ServerResponse, handler: Handler): void {
  response.once('finish', () => discardRest(request))
  if (request.method !== 'GET' && request.method !== 'HEAD') return handler(request, response)
  request.once('end', () => handler(request, response))
  request.resume()
}

/**
 * A client that was cut off in the middle would not see its answer. The pace is that of all refused bodies together: a flood of
 * cancelled uploads would otherwise be read as fast as it comes, between everybody else's calls.
 */
function discardRest(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return
  // Whoever began to read it has given up.
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
