import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Failure } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import { failureResponse } from './exchange/failure-response.ts'
import type { ServePlain } from './lookup/fast-connection.ts'
import { varyValue } from './lookup/caller-headers.ts'
import { draining, openFastPath } from './lookup/fast-path.ts'
import { endLongBody, hasBody, serveWhole } from './exchange/whole-request.ts'

// An import reads every export of the module, and one of them loads an HTTP client: 45 ms at the start.
const { createServer } = process.getBuiltinModule('node:http')

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const headersMs = 8_000
// Node checks twice a second, so within ten seconds a request is complete or its connection is closed.
const requestMs = 8_500
const keepAliveMs = 72_000
// Node grants a second timeout after progress in the first; both together stay below ten seconds.
const stalledMs = 4_000

/** Creates a server that limits slow headers, slow requests, slow readers and large headers. */
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
      // While the listener drains or closes, each response ends its connection.
      if (isDraining || !server.listening) response.shouldKeepAlive = false
      lastResponses.set(request.socket, response)
      if (hasBody(request)) return serveWhole(request, response, handler)
      // Without a body there is nothing to parse; a content type would make the parser wait for one.
      delete request.headers['content-type']
      handler(request, response)
    },
  )
  // A client that half-closes its connection after the request still gets the response it paid for.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.once(draining, () => (isDraining = true))
  cutStalledReaders(server, stalledMs)
  if (servePlain) openFastPath(server, servePlain, { firstRequestMs: headersMs, keepAliveMs, stalledMs })
  return server
}

/**
 * Closes connections whose client stopped reading. Node's socket timeout also fires for clients that wait for our
 * response, so each timeout is checked here.
 */
function cutStalledReaders(server: Server, stalledMs: number): void {
  server.timeout = stalledMs
  server.on('timeout', (socket) => {
    // Between requests Node sets a longer timeout: a connection with that one is idle.
    const isBusy = socket.timeout === stalledMs
    // Progress of a write resets the timeout, so bytes that are left here have not moved.
    if (isBusy && socket.writableLength === 0) socket.setTimeout(stalledMs)
    else socket.destroy()
  })
}

/** The response to the newest request of each connection; earlier responses finish first. */
const lastResponses = new WeakMap<Duplex, ServerResponse>()

/** Connections that sent invalid bytes after a request whose response is not finished. */
const broken = new WeakSet<Duplex>()

const complaints: Record<string, Failure> = {
  HPE_HEADER_OVERFLOW: new Failure('headers_too_large'),
  ERR_HTTP_REQUEST_TIMEOUT: new Failure('invalid_request', { detail: 'The request came too slowly.' }),
}
const notHttp = new Failure('invalid_request', { detail: 'The request is not valid HTTP.' })

/**
 * Answers invalid HTTP with a failure in our format and closes the connection. A valid request before it is answered
 * first, because it may be paid for. It replaces Fastify's handler, which would log the bytes, including keys.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Node reports this timeout once per request.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && endLongBody(socket)) return
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const failure = complaints[error.code ?? ''] ?? notHttp
  const last = lastResponses.get(socket)
  if (!last || (last.writableFinished && last.req.complete)) return refuse(socket, failure)
  // The invalid request is the one being answered. The client would take a second response as the answer to its next request.
  if (!last.req.complete) return last.headersSent ? void socket.destroy() : refuse(socket, failure)
  // Node reports every further chunk, too.
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
  // Do not wait for a client that does not read this response.
  setTimeout(() => socket.destroy(), 1_000).unref()
}
