import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import { readConsoleFiles, type ConsoleFile } from './console-files.ts'

const missing = 'The console is not built. Run "npm run build --workspace @vitae/console" and start again.\n'

/** No script, style, picture or connection but our own, no frame around us, no form to elsewhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
}

const hide = { schema: { hide: true } }

/** The page for strangers at `/`. */
export function landingRoute(app: FastifyInstance): void {
  app.get('/', hide, page('landing.html'))
}

/** The console at `/console`. */
export function consoleRoutes(app: FastifyInstance): void {
  app.get('/console', hide, page('index.html'))
  app.get('/console/', hide, page('index.html'))
}

/** The built files that the pages ask for, from memory. */
export function assetRoutes(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/console/assets/:name', hide, async (request, reply) => {
    const file = readConsoleFiles().get(`assets/${request.params.name}`)
    if (!file) throw new Failure('route_not_found', { detail: 'The console has no such file.' })
    // The name holds a hash of the content, and nothing in it depends on who asks: it never changes.
    reply.headers({ ...pageHeaders, 'Cache-Control': 'public, max-age=31536000, immutable' })
    return sendFile(request, reply, file)
  })
}

function page(name: string) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const file = readConsoleFiles().get(name)
    reply.headers(pageHeaders)
    if (!file) return reply.code(503).type('text/plain; charset=utf-8').send(missing)
    return sendFile(request, reply, file)
  }
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const zipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  reply.headers({
    'Content-Type': file.type,
    Vary: 'ApiKey, Accept-Encoding',
    ...(zipped ? { 'Content-Encoding': 'gzip' } : {}),
  })
  return reply.send(zipped ? file.zipped : file.bytes)
}
