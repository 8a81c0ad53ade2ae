import { openApiDocument } from '@vitae/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppNeeds } from './needs.ts'

/** The contract for programs (`/openapi.json`) and for people (`/docs`), without one outside request. */
export async function referenceRoutes(app: FastifyInstance, needs: AppNeeds): Promise<void> {
  const document = openApiDocument({ serverUrl: '/', version: needs.version, prices: needs.lookup.rules.prices })
  const text = JSON.stringify(document)
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('Content-Type', 'application/json; charset=utf-8').send(text),
  )
  const { default: reference } = await import('@scalar/fastify-api-reference')
  await app.register(async (scope) => {
    scope.addHook('onSend', asSharedBytes())
    await scope.register(reference, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        title: 'Vitae',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
      },
    })
  })
}

const largeText = 100_000

/**
 * The script of the page is several megabytes of text, which would be encoded anew for each stranger who asks for it:
 * a few hundred of them could keep the loop busy for seconds. It is encoded once, and all answers share the bytes.
 */
function asSharedBytes() {
  let known = { text: '', bytes: Buffer.alloc(0) }
  return async (_request: FastifyRequest, _reply: FastifyReply, payload: unknown): Promise<unknown> => {
    if (typeof payload !== 'string' || payload.length < largeText) return payload
    if (payload !== known.text) known = { text: payload, bytes: Buffer.from(payload) }
    return known.bytes
  }
}
