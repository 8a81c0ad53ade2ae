import type { Kind } from '@vitae/contract'
import type { Handler } from './limited-server.ts'
import { lookupPaths, maxUrlLength } from './lookup-routes.ts'
import type { HttpNeeds } from './needs.ts'
import { serveLookup } from './serve-lookup.ts'

const doors: readonly [prefix: string, kind: Kind][] = [
  [`${lookupPaths.people}?`, 'people'],
  [`${lookupPaths.companies}?`, 'companies'],
]

/**
 * Takes the plain lookups past Fastify's life cycle, which would cost about as much as the lookup itself. Everything
 * else goes the usual way, also what only looks like a lookup; `serveLookup` is behind both doors, so they behave alike.
 */
export function fastDoor(needs: HttpNeeds & { trustProxy: string[] | null }, usual: Handler): Handler {
  // Whose address counts behind a proxy is Fastify's business.
  if (needs.trustProxy) return usual
  return (request, response) => {
    const { url, method } = request
    if (method !== 'GET' || url === undefined || url.length > maxUrlLength) return usual(request, response)
    for (const [prefix, kind] of doors) {
      if (url.startsWith(prefix))
        return void serveLookup(needs, kind, request, response, request.socket.remoteAddress ?? '')
    }
    usual(request, response)
  }
}
