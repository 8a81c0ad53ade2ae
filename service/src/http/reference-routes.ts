import { openApiDocument } from '@vitae/contract'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { AppDeps } from './deps.ts'

/** One file of the reference page, as it is sent. */
interface PageFile {
  status: number
  headers: Record<string, string>
  bytes: Buffer
}

const sentHeaders = ['content-type', 'location', 'etag']
const keptAtMost = 20

/** The contract for programs (`/openapi.json`) and for people (`/docs`), without one outside request. */
export function referenceRoutes(app: FastifyInstance, deps: AppDeps): void {
  const { version, lookup } = deps
  let text: string | null = null
  const hide = { schema: { hide: true } }
  app.get('/openapi.json', hide, async (_request, reply) => {
    text ??= JSON.stringify(openApiDocument({ serverUrl: '/', version, prices: lookup.rules.prices }))
    return reply.header('Content-Type', 'application/json; charset=utf-8').send(text)
  })
  const page = referencePage()
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, bytes } = await page(request.url.split('?', 1)[0] ?? '')
    return reply.code(status).headers(headers).send(bytes)
  }
  app.get('/docs', hide, send)
  app.get('/docs/*', hide, send)
}

/**
 * The interactive page, loaded at the first request, because its megabytes would slow the start. Its files are kept as
 * bytes, or a few hundred requests at once could keep the event loop busy for seconds.
 */
function referencePage(): (path: string) => Promise<PageFile> {
  let loaded: Promise<FastifyInstance> | null = null
  const files = new Map<string, PageFile>()
  return async (path) => {
    const known = files.get(path)
    if (known) return known
    loaded ??= loadPage()
    const answer = await (await loaded).inject({ url: path })
    const headers = sentHeaders.flatMap((name) => (answer.headers[name] ? [[name, String(answer.headers[name])]] : []))
    const file = {
      status: answer.statusCode,
      headers: Object.fromEntries(headers) as Record<string, string>,
      bytes: answer.rawPayload,
    }
    if (file.status === 200 && files.size < keptAtMost) files.set(path, file)
    return file
  }
}

async function loadPage(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const page = Fastify()
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Vitae',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
    },
  })
  return page
}
