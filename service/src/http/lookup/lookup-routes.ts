import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { kinds, lookupOperations, routeParts, type Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import { answerBuffer, answerBufferBytes, answerWritten, serveLookup } from './serve-lookup.ts'
import { keyOf } from './caller-headers.ts'
import { LentConnection } from './lent-connection.ts'
import type { IsGone, LookupRequest, Reply } from './lookup-request.ts'
import { codingIn } from '../compress.ts'
import type { HttpDeps } from '../deps.ts'

/** Longer URLs are refused; an identifier has at most 300 characters. */
export const maxUrlLength = 8_192

export const lookupPaths: Record<Kind, string> = {
  people: routeParts(lookupOperations.getPersonProfile.route).url,
  companies: routeParts(lookupOperations.getCompanyDetails.route).url,
}

/** The two endpoints of the contract, for addresses that are spelled in an unusual way. */
export function lookupRoutes(app: FastifyInstance, deps: HttpDeps): void {
  for (const kind of kinds) {
    app.get(lookupPaths[kind], async (request, reply) => {
      reply.hijack()
      await serveLookup(deps, requestOf(kind, request.raw), replyOn(reply.raw), isGoneOf(request.raw))
    })
  }
}

/** Serves the lookups that Node's server gets, past the web framework, which would cost a third of such a call. */
export function pastFastify(deps: HttpDeps, others: RequestListener): RequestListener {
  return (request, response) => {
    const kind = request.method === 'GET' ? kindAt(request.url ?? '') : undefined
    // Served at once, a call would be answered before Node has seen that its coding is none.
    if (!kind || request.headers['transfer-encoding'] !== undefined) return others(request, response)
    void serveLookup(deps, requestOf(kind, request), replyOn(response), isGoneOf(request))
  }
}

function kindAt(url: string): Kind | undefined {
  if (url.length > maxUrlLength) return undefined
  return kinds.find((kind) => {
    const path = lookupPaths[kind]
    if (!url.startsWith(path)) return false
    const end = url[path.length] === '/' ? path.length + 1 : path.length
    return url.length === end || url[end] === '?'
  })
}

/** The lookup in a request of Node's server. */
export function requestOf(kind: Kind, request: IncomingMessage): LookupRequest {
  const { url = '', headers, socket } = request
  return {
    kind,
    search: searchOf(url),
    headers: {
      // Node joins what was sent more than once, and the result is no key and no value of ours.
      apiKey: keyOf(request),
      idempotencyKey: headers['idempotency-key']?.toString(),
      spendTag: headers['x-spend-tag']?.toString(),
      cacheControl: headers['cache-control'],
      forwardedFor: headers['x-forwarded-for']?.toString(),
      accept: headers.accept,
      coding: codingIn(headers['accept-encoding']?.toString()),
    },
    peer: socket.remoteAddress ?? '',
  }
}

/** Whether the caller of a request of Node's server has closed its connection. */
export function isGoneOf(request: IncomingMessage): IsGone {
  const connection: Duplex = request.socket
  return () =>
    connection instanceof LentConnection ? connection.isGone : connection.destroyed || connection.readableEnded
}

/** The query of an address, without its question mark. */
export function searchOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

function replyOn(response: ServerResponse): Reply {
  return (status, head, body) => {
    response.writeHead(status, headerList(head))
    if (body.byteLength > answerBufferBytes) return void response.end(body.toBuffer())
    const { socket } = response
    const buffer = answerBuffer()
    body.copyTo(buffer, 0)
    response.end(buffer.subarray(0, body.byteLength))
    answerWritten(socket)
  }
}

/** Header lines as Node wants them: names and values in turn. */
function headerList(head: string): string[] {
  const list: string[] = []
  let start = 0
  for (let end = head.indexOf('\r\n'); end >= 0; end = head.indexOf('\r\n', start)) {
    const colon = head.indexOf(': ', start)
    list.push(head.slice(start, colon), head.slice(colon + 2, end))
    start = end + 2
  }
  return list
}
