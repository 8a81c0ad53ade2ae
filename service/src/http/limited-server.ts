import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Failure } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import { failureAnswer } from './failure-answer.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Limits that Node leaves wide open: slow headers, slow requests, large headers. */
export function createLimitedServer(handler: Handler): Server {
  const server = createServer(
    {
      maxHeaderSize: 32_768,
      headersTimeout: 8_000,
      requestTimeout: 9_000,
      keepAliveTimeout: 72_000,
      connectionsCheckingInterval: 1_000,
    },
    handler,
  )
  server.on('clientError', answerBrokenRequest)
  return server
}

/** A request that never became one gets a plain answer in our form, and the connection is closed. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const failure = tooLarge
    ? new Failure('headers_too_large')
    : new Failure('invalid_request', { detail: 'The request is not valid HTTP.' })
  const { status, headers, body } = failureAnswer(failure, newRequestId())
  const lines = Object.entries({
    ...headers,
    'Cache-Control': 'private, no-store',
    Vary: 'ApiKey',
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
  })
  const reasonText = tooLarge ? 'Request Header Fields Too Large' : 'Bad Request'
  socket.end(
    `HTTP/1.1 ${status} ${reasonText}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}
