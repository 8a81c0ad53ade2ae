import { createHash, randomBytes } from 'node:crypto'
import { openApiDocument, type Kind } from '@vitae/contract'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { codingIn, compressBytes, type Coding } from '../foundation/compress.ts'
import { usualAsk, type CompiledBook } from '../credits/prices/compiled-book.ts'
import { Failure } from '../foundation/failure.ts'
import type { AppDeps } from './exchange/deps.ts'
import { protectedPage } from './exchange/page-headers.ts'
import { scriptPacker, withoutTranslations } from './pack-script.ts'

/** One file of the reference page, ready to send. */
interface PageFile {
  status: number
  headers: Record<string, string>
  bytes: Buffer
  /** The compressed forms of a script; null for pages, because each response has its own nonce. */
  packed: ((coding: Coding) => Promise<Buffer>) | null
}

const sentHeaders = ['content-type', 'location']
const keptAtMost = 20
/** Placeholder for the nonce, which is new in every response. */
const noncePlace = 'nonce-of-this-answer'
/** Placeholder for the origin of the page. Behind a proxy, only the browser knows it. */
const originPlace = 'origin-of-this-page'

/**
 * Runs first in the page. It adds the nonce to styles that the page creates. It limits connections to the API, so the
 * page cannot read a console session of the same browser. Storage, including the API key, lasts only as long as the
 * tab.
 */
const firstScript = `
const { content: nonce } = document.querySelector('meta[property=csp-nonce]')
const { createElement } = Document.prototype
Document.prototype.createElement = function (name, options) {
  const element = createElement.call(this, name, options)
  if (element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}
const { setAttribute } = Element.prototype
Element.prototype.setAttribute = function (name, value) {
  if (name === 'style') this.style.cssText = value
  else setAttribute.call(this, name, value)
}
const policy = document.createElement('meta')
policy.httpEquiv = 'Content-Security-Policy'
policy.content = 'connect-src ' + ['/v1/', '/openapi.json', '/healthz', '/readyz'].map((path) => location.origin + path).join(' ')
document.head.append(policy)
Object.defineProperty(window, 'localStorage', { value: sessionStorage })
`
const firstTags = `<link rel="icon" href="data:,"><script nonce="${noncePlace}">${firstScript}</script></head>`

/** Serves the contract to programs (`/openapi.json`) and people (`/docs`), without any external request. */
export function referenceRoutes(app: FastifyInstance, deps: AppDeps): void {
  const { lookup } = deps
  let made: { book: CompiledBook; prepared: ReturnType<typeof preparedBytes> } | null = null
  app.get('/openapi.json', async (request, reply) => {
    const coding = codingIn(request.headers['accept-encoding'])
    const book = lookup.prices.at(lookup.clock.now())
    if (made?.book !== book) made = { book, prepared: preparedBytes(() => documentOf(deps, book)) }
    const { bytes, encoding, etag } = await made.prepared(coding)
    reply.headers({ ETag: etag, ...(encoding === null ? {} : { 'Content-Encoding': encoding }) })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.header('Content-Type', 'application/json; charset=utf-8').send(bytes)
  })
  const page = referencePage(deps.admin.signIn.publicUrl)
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const file = await page(request.url.split('?', 1)[0] ?? '')
    return sendFile(request, reply, file)
  }
  app.get('/docs', send)
  app.get('/docs/*', send)
}

/** The document, with the highest prices that apply without a particular environment. */
function documentOf({ version, admin }: AppDeps, book: CompiledBook): object {
  const most = (kind: Kind) => book.highest({ ...usualAsk, kind, project: '', environment: '' })
  const prices = { people: most('people'), companies: most('companies') }
  return openApiDocument({ serverUrl: admin.signIn.publicUrl ?? '/', version, prices })
}

interface Prepared {
  bytes: Buffer
  encoding: Coding | null
  etag: string
}

/** Builds and compresses a document once: it is free to request, so it must not take CPU from paying callers. */
function preparedBytes(make: () => unknown): (coding: Coding | null) => Promise<Prepared> {
  const made = new Map<Coding | null, Promise<Prepared>>()
  const prepare = async (coding: Coding | null): Promise<Prepared> => {
    if (coding === null) {
      const bytes = Buffer.from(JSON.stringify(make()))
      return { bytes, encoding: null, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
    }
    const plain = await prepared(null)
    const bytes = await compressBytes(plain.bytes, coding)
    return bytes ? { bytes, encoding: coding, etag: plain.etag.replace(/"$/, `-${coding}"`) } : plain
  }
  const prepared = (coding: Coding | null) => {
    const known = made.get(coding) ?? prepare(coding)
    made.set(coding, known)
    return known
  }
  return prepared
}

/** Sends a page with a new nonce, so only scripts and styles of this response run. Browsers cache other files. */
async function sendFile(request: FastifyRequest, reply: FastifyReply, file: PageFile): Promise<FastifyReply> {
  const { status, headers, bytes, packed } = file
  const nonce = randomBytes(16).toString('base64')
  const own = `'self' 'nonce-${nonce}'`
  reply.code(status).headers({ ...protectedPage({ scripts: own, styles: own }), ...headers })
  if (packed === null) return reply.send(bytes.toString().replaceAll(noncePlace, nonce))
  reply.headers({ 'Cache-Control': 'public, max-age=86400', Vary: 'Accept-Encoding' })
  const coding = codingIn(request.headers['accept-encoding'])
  return coding === null ? reply.send(bytes) : reply.header('Content-Encoding', coding).send(await packed(coding))
}

/**
 * The interactive page, loaded at the first request because its megabytes would slow the start. Its files are cached as
 * bytes: serving a few hundred requests otherwise blocks the event loop for seconds.
 */
function referencePage(publicUrl: string | null): (path: string) => Promise<PageFile> {
  let loaded: Promise<FastifyInstance> | null = null
  /** Promises, so that requests that arrive while a file is packed wait for it instead of packing it again. */
  const files = new Map<string, Promise<PageFile>>()
  const load = async (path: string): Promise<PageFile> => {
    loaded ??= loadPage(publicUrl)
    const answer = await (await loaded).inject({ url: path })
    if (answer.statusCode >= 400) throw new Failure('route_not_found', { detail: 'The reference has no such file.' })
    const headers = sentHeaders.flatMap((name) => (answer.headers[name] ? [[name, String(answer.headers[name])]] : []))
    const isScript = answer.headers['content-type']?.startsWith('application/javascript') === true
    const bytes = Buffer.from(isScript ? withoutTranslations(answer.body) : ownPage(answer.body))
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(headers) as Record<string, string>,
      bytes,
      packed: isScript ? scriptPacker(bytes) : null,
    }
  }
  return async (path) => {
    const known = files.get(path)
    if (known || files.size >= keptAtMost) return known ?? load(path)
    const loading = load(path)
    files.set(path, loading)
    // Only files are kept, so that requests for missing paths cannot fill the cache.
    const isKept = await loading.then(
      ({ status }) => status === 200,
      () => false,
    )
    if (!isKept) files.delete(path)
    return loading
  }
}

function ownPage(html: string): string {
  return html.replace('</head>', firstTags).replace(JSON.stringify(originPlace), 'location.origin')
}

async function loadPage(publicUrl: string | null): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const page = Fastify()
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Vitae API',
      pageTitle: 'Vitae API',
      // The page's own origin comes first, so requests and copied examples work from the reader's browser.
      servers: [originPlace, ...(publicUrl === null ? [] : [publicUrl])].map((url) => ({ url })),
      authentication: { preferredSecurityScheme: 'ApiKey' },
      persistAuth: true,
      nonce: noncePlace,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // The options below would offer third-party services.
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      customCss: 'a[href^="https://www.scalar.com"] { display: none !important }',
    },
  })
  return page
}
