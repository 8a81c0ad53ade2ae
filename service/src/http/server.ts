import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Failure } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import { failureResponse } from './failure-response.ts'
import type { ServePlain } from './lookup/fast-connection.ts'
import { varyValue } from './lookup/caller-headers.ts'
import { draining, openFastPath } from './lookup/fast-path.ts'
import { hasBody, serveWhole } from './whole-request.ts'

// An import would read every export of the module, and one of them loads a whole HTTP client: 45 ms of the start.
const { createServer } = process.getBuiltinModule('node:http')

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const headersMs = 8_000
// Node checks twice a second: within ten seconds a request is complete or its connection is closed.
const requestMs = 8_500
const keepAliveMs = 72_000
// Node grants a second round when there was some progress in the first: both together stay under ten seconds.
const stalledMs = 4_000

/** Makes a server with limits that Node leaves open: on slow headers, slow requests, slow readers, large headers. */
export function createHttpServer(handler: Handler, servePlain: ServePlain | null): Server {
  let isDraining = false
  const server: Server = createServer(
    {
      maxHeaderSize: 32_768,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: 500,
      optimizeEmptyRequests: true,
    },
    (request, response) => {
      // While the listener closes or is about to, every answer is the last of its connection.
      if (isDraining || !server.listening) response.shouldKeepAlive = false
      lastResponses.set(request.socket, response)
      if (hasBody(request)) return serveWhole(request, response, handler)
      // Without a body there is none to parse: who reads the type first would wait for it.
      delete request.headers['content-type']
      handler(request, response)
    },
  )
  // Whoever has said all and waits gets the answer that was paid for. The property is older than its documentation.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.once(draining, () => (isDraining = true))
  cutStalledReaders(server, stalledMs)
  if (servePlain) openFastPath(server, servePlain, { firstRequestMs: headersMs, keepAliveMs, stalledMs })
  return server
}

/**
 * Cuts connections whose client has stopped reading its answer. Node's own timeout of a connection cannot tell such a
 * client from one that waits for us and must not be cut, so each of its reports is checked here.
 */
function cutStalledReaders(server: Server, stalledMs: number): void {
  server.timeout = stalledMs
  server.on('timeout', (socket) => {
    // Between two requests Node sets a longer timeout of its own: a connection that has that one is merely idle.
    const isBusy = socket.timeout === stalledMs
    // A write that makes progress counts as activity, so whatever is left here has not moved at all.
    if (isBusy && socket.writableLength === 0) socket.setTimeout(stalledMs)
    else socket.destroy()
  })
}

const longBodies = new WeakSet<Duplex>()

/** Lifts the limit on the time of the request that this connection brings; its reader sets one of its own. */
export function allowLongBody(socket: Duplex): void {
  longBodies.add(socket)
}

/** The response to the newest request of each connection; those before it are finished first. */
const lastResponses = new WeakMap<Duplex, ServerResponse>()

/** Connections whose last request is being answered and is followed by bytes that are none. */
const broken = new WeakSet<Duplex>()

const complaints: Record<string, Failure> = {
  HPE_HEADER_OVERFLOW: new Failure('headers_too_large'),
  ERR_HTTP_REQUEST_TIMEOUT: new Failure('invalid_request', { detail: 'The request came too slowly.' }),
}
const notHttp = new Failure('invalid_request', { detail: 'The request is not valid HTTP.' })

/**
 * Answers bytes that are not a valid request with a failure in our form and closes the connection. A good request before
 * them is answered first: it may have been paid for. Fastify gets this as its handler because its own writes the bytes that
 * were sent, keys included, to the log.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Said once for each request, and not again.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && longBodies.delete(socket)) return
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const failure = complaints[error.code ?? ''] ?? notHttp
  const last = lastResponses.get(socket)
  if (!last || (last.writableFinished && last.req.complete)) return refuse(socket, failure)
  // The broken request is the one that is being answered: a second answer would be taken for that to the next request.
  if (!last.req.complete) return last.headersSent ? void socket.destroy() : refuse(socket, failure)
  // Node reports every further piece too.
  if (broken.has(socket)) return
  broken.add(socket)
  last.once('finish', () => refuse(socket, failure))
}

function refuse(socket: Duplex, failure: Failure): void {
  if (!socket.writable) return
  const requestId = newRequestId()
  const { status, headers, body } = failureResponse(failure, requestId)
  const lines = Object.entries({
    ...headers,
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, no-store',
    Vary: varyValue,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
  })
  const reasonText = status === 431 ? 'Request Header Fields Too Large' : 'Bad Request'
  socket.end(
    `HTTP/1.1 ${status} ${reasonText}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
  // A client that does not read this answer is not waited for.
  setTimeout(() => socket.destroy(), 1_000).unref()
}
