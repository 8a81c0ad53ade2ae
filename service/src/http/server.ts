import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Failure } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import { cutStalledReaders } from './cut-stalled-readers.ts'
import { failureAnswer } from './failure-response.ts'
import { openFastPath, type ServePlain } from './lookup/fast-path.ts'

// An import would read every export of the module, and one of them loads a whole HTTP client: 45 ms of the start.
const { createServer } = process.getBuiltinModule('node:http')

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const headersMs = 8_000
// Node looks twice a second: all of a request is there, or its connection gone, well within ten.
const requestMs = 8_500
const keepAliveMs = 72_000
// Node grants a second round when there was some progress in the first: both together stay under ten seconds.
const stalledMs = 4_000

/** Limits that Node leaves wide open: slow headers, slow requests, slow readers, large headers. */
export function createLimitedServer(handler: Handler, servePlain: ServePlain | null): Server {
  const server = createServer(
    {
      maxHeaderSize: 32_768,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: 500,
    },
    handler,
  )
  cutStalledReaders(server, stalledMs)
  if (servePlain) openFastPath(server, servePlain, { firstRequestMs: headersMs, keepAliveMs, stalledMs })
  return server
}

const complaints: Record<string, Failure> = {
  HPE_HEADER_OVERFLOW: new Failure('headers_too_large'),
  ERR_HTTP_REQUEST_TIMEOUT: new Failure('invalid_request', { detail: 'The request came too slowly.' }),
}
const notHttp = new Failure('invalid_request', { detail: 'The request is not valid HTTP.' })

/**
 * A request that never became one gets a plain answer in our form, and the connection is closed. Fastify must be given
 * this as its own handler: the one that it has writes the bytes that were sent, keys and all, to the log.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const { status, headers, body } = failureAnswer(complaints[error.code ?? ''] ?? notHttp, newRequestId())
  const lines = Object.entries({
    ...headers,
    'Cache-Control': 'private, no-store',
    Vary: 'ApiKey',
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
  })
  const reasonText = status === 431 ? 'Request Header Fields Too Large' : 'Bad Request'
  socket.end(
    `HTTP/1.1 ${status} ${reasonText}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
  // Who does not even read this answer is not waited for.
  socket.setTimeout(1_000, () => socket.destroy())
}
