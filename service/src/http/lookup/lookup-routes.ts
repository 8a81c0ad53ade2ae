import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import type { LookupRequest, Reply } from './lookup-request.ts'
import type { HttpDeps } from '../deps.ts'
import { serveLookup } from './serve-lookup.ts'

/** Longer URLs are refused; an identifier has at most 300 characters. */
export const maxUrlLength = 8_192

export const lookupPaths: Record<Kind, string> = {
  people: '/v1/people/profile',
  companies: '/v1/companies/details',
}

/** The two endpoints of the contract, for all that does not come by the fast path. */
export function lookupRoutes(app: FastifyInstance, deps: HttpDeps): void {
  for (const kind of ['people', 'companies'] as const) {
    app.get(lookupPaths[kind], { schema: { hide: true } }, async (request, reply) => {
      reply.hijack()
      await serveLookup(deps, requestOf(kind, request.raw, request.ip), replyOn(reply.raw))
    })
  }
}

function requestOf(kind: Kind, { url = '', headers }: IncomingMessage, address: string): LookupRequest {
  const start = url.indexOf('?')
  return {
    kind,
    search: start < 0 ? '' : url.slice(start + 1),
    headers: {
      // Node joins what was sent more than once, and the result is no key and no value of ours.
      apiKey: headers['apikey']?.toString(),
      idempotencyKey: headers['idempotency-key']?.toString(),
      cacheControl: headers['cache-control'],
    },
    address,
  }
}

function replyOn(response: ServerResponse): Reply {
  return (status, head, body) => {
    const headers = head
      .split('\r\n')
      .slice(0, -1)
      .flatMap((line) => {
        const colon = line.indexOf(': ')
        return [line.slice(0, colon), line.slice(colon + 2)]
      })
    response.writeHead(status, headers)
    response.end(body.toBuffer())
  }
}
