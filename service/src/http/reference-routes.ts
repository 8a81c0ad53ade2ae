import { openApiDocument } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import type { AppNeeds } from './needs.ts'

/** The contract for programs (`/openapi.json`) and for people (`/docs`), without one outside request. */
export async function referenceRoutes(app: FastifyInstance, needs: AppNeeds): Promise<void> {
  const document = openApiDocument({ serverUrl: '/', version: needs.version, prices: needs.lookup.rules.prices })
  const text = JSON.stringify(document)
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('Content-Type', 'application/json; charset=utf-8').send(text),
  )
  const { default: reference } = await import('@scalar/fastify-api-reference')
  await app.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Vitae',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
    },
  })
}
