import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import { protectedPage } from './exchange/page-headers.ts'

/** One built file of the console, plain and compressed. */
interface ConsoleFile {
  type: string
  bytes: Buffer
  zipped: Buffer
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** Paths in a checkout and in a packed service. */
const folders = ['../../../console/dist', '../../console-dist'].map((path) => join(import.meta.dirname, path))

const missing = 'The console is not built. Run "npm run build --workspace @vitae/console" and start again.\n'

/** Allows only scripts, styles, pictures and connections of this service, no framing, and no form to another site. */
const pageHeaders = protectedPage({ scripts: "'self'", styles: "'self'" })

/** The start page at `/`. */
export function landingRoute(app: FastifyInstance): void {
  app.get('/', page('landing.html'))
}

/** The console at `/console`. */
export function consoleRoutes(app: FastifyInstance): void {
  app.get('/console', page('index.html'))
}

/** Serves the files of the pages from memory. */
export function assetRoutes(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/console/assets/:name', async (request, reply) => {
    const file = readConsoleFiles().get(`assets/${request.params.name}`)
    if (!file) throw new Failure('route_not_found', { detail: 'The console has no such file.' })
    // The file name contains a hash of the content, so the file never changes.
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
    ...(zipped ? { 'Content-Encoding': 'gzip' } : {}),
  })
  return reply.send(zipped ? file.zipped : file.bytes)
}

let read: ReadonlyMap<string, ConsoleFile> | null = null

/** The built console by path inside its folder, read at the first request; empty if it was never built. */
function readConsoleFiles(): ReadonlyMap<string, ConsoleFile> {
  read ??= readFolder()
  return read
}

function readFolder(): ReadonlyMap<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>()
  const folder = folders.find((path) => existsSync(path))
  if (!folder) return files
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(entry)]
    if (type === undefined) continue
    const bytes = readFileSync(join(folder, entry))
    files.set(entry.replaceAll('\\', '/'), { type, bytes, zipped: gzipSync(bytes, { level: 9 }) })
  }
  return files
}
