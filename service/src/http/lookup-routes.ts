import type { Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import type { HttpNeeds } from './needs.ts'
import { serveLookup } from './serve-lookup.ts'

/** Longer URLs are refused; an identifier has at most 300 characters. */
export const maxUrlLength = 8_192

export const lookupPaths: Record<Kind, string> = {
  people: '/v1/people/profile',
  companies: '/v1/companies/details',
}

/** The two endpoints of the contract. Fastify only routes: the answer is written by `serveLookup`. */
export function lookupRoutes(app: FastifyInstance, needs: HttpNeeds): void {
  for (const kind of ['people', 'companies'] as const) {
    app.get(lookupPaths[kind], { schema: { hide: true } }, async (request, reply) => {
      reply.hijack()
      await serveLookup(needs, kind, request.raw, reply.raw, request.ip)
    })
  }
}
