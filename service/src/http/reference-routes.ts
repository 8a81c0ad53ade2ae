import { randomBytes } from 'node:crypto'
import { openApiDocument } from '@vitae/contract'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { AppDeps } from './deps.ts'
import { protectedPage } from './page-headers.ts'

/** One file of the reference page, as it is sent. */
interface PageFile {
  status: number
  headers: Record<string, string>
  bytes: Buffer
}

const sentHeaders = ['content-type', 'location', 'etag']
const keptAtMost = 20
/** Stands in the page for the nonce, which is another one in every answer. */
const noncePlace = 'nonce-of-this-answer'

/**
 * Runs in the page before everything else. It gives styles that the page makes the nonce, and takes from the page what it does not
 * need: it connects only to the API that it describes, and so it cannot read a console session of the same browser.
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
`
const firstTags = `<link rel="icon" href="data:,"><script nonce="${noncePlace}">${firstScript}</script></head>`

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
    const file = await page(request.url.split('?', 1)[0] ?? '')
    return sendFile(reply, file)
  }
  app.get('/docs', hide, send)
  app.get('/docs/*', hide, send)
}

/** Pages get a nonce of their own: only scripts and styles that this answer names run. */
function sendFile(reply: FastifyReply, { status, headers, bytes }: PageFile): FastifyReply {
  const nonce = randomBytes(16).toString('base64')
  const own = `'self' 'nonce-${nonce}'`
  const isPage = headers['content-type']?.startsWith('text/html') === true
  return reply
    .code(status)
    .headers({ ...protectedPage({ scripts: own, styles: own }), ...headers })
    .send(isPage ? bytes.toString().replaceAll(noncePlace, nonce) : bytes)
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
    const isPage = answer.headers['content-type']?.startsWith('text/html') === true
    const file = {
      status: answer.statusCode,
      headers: Object.fromEntries(headers) as Record<string, string>,
      bytes: isPage ? Buffer.from(answer.body.replace('</head>', firstTags)) : answer.rawPayload,
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
      nonce: noncePlace,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // Everything below would offer services of others.
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      customCss: 'a[href^="https://www.scalar.com"] { display: none !important }',
    },
  })
  return page
}
