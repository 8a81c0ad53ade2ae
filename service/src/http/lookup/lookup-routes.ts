import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { kinds, lookupOperations, routeParts, type Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import { answerBuffer, answerBufferBytes, answerWritten, serveLookup } from './serve-lookup.ts'
import { keyOf } from './caller-headers.ts'
import { LentConnection } from './lent-connection.ts'
import type { IsGone, LookupRequest, Reply } from '../exchange/lookup-request.ts'
import { codingIn } from '../../foundation/compress.ts'
import type { HttpDeps } from '../exchange/deps.ts'

/** Longer URLs are refused; an identifier has at most 300 characters. */
export const maxUrlLength = 8_192

export const lookupPaths: Record<Kind, string> = {
  people: routeParts(lookupOperations.getPersonProfile.route).url,
  companies: routeParts(lookupOperations.getCompanyDetails.route).url,
}

/** Registers the two lookups with Fastify, for unusual spellings of their paths. */
export function lookupRoutes(app: FastifyInstance, deps: HttpDeps): void {
  for (const kind of kinds) {
    app.get(lookupPaths[kind], async (request, reply) => {
      reply.hijack()
      await serveLookup(deps, requestOf(kind, request.raw), replyOn(reply.raw), isGoneOf(request.raw))
    })
  }
}

/** Serves lookups on Node's server without Fastify, which would be a third of their cost. */
export function pastFastify(deps: HttpDeps, others: RequestListener): RequestListener {
  return (request, response) => {
    const kind = request.method === 'GET' ? kindAt(request.url ?? '') : undefined
    // With a transfer coding, an immediate answer would come before Node has rejected an invalid coding.
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

/** Reads a lookup from a Node request. */
export function requestOf(kind: Kind, request: IncomingMessage): LookupRequest {
  const { url = '', headers, socket } = request
  return {
    kind,
    search: searchOf(url),
    headers: {
      // Node joins repeated headers; the result is never a valid key or value.
      apiKey: keyOf(request),
      idempotencyKey: headers['idempotency-key']?.toString(),
      spendTag: headers['x-spend-tag']?.toString(),
      cacheControl: headers['cache-control'],
      forwardedFor: headers['x-forwarded-for']?.toString(),
      accept: headers.accept,
      coding: codingIn(headers['accept-encoding']),
    },
    peer: socket.remoteAddress ?? '',
  }
}

/** Returns a check for whether the caller of a Node request has closed its connection. */
export function isGoneOf(request: IncomingMessage): IsGone {
  const connection: Duplex = request.socket
  return () =>
    connection instanceof LentConnection ? connection.isGone : connection.destroyed || connection.readableEnded
}

/** The query of a URL, without its question mark. */
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

/** Header lines as Node expects them: alternating names and values. */
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
