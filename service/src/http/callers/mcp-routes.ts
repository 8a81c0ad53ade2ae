import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/key-cache.ts'
import type { McpReply } from '../../mcp/answer-mcp.ts'
import { isLoopbackName } from '../../foundation/networks.ts'
import { isDeeper } from '../../foundation/schema/is-deeper.ts'
import type { AppDeps } from '../deps.ts'
import { callerRoute } from './caller-route.ts'
import { inProcessApi } from './in-process-api.ts'

/** Arguments of a tool have three levels; the rest is room for what clients say of themselves. */
const levelsAtMost = 32

/** The Model Context Protocol over HTTP. Each message is answered on its own, so that any node may get the next one. */
export function mcpRoutes(app: FastifyInstance, deps: AppDeps): void {
  callerRoute(app, deps, { route: 'POST /mcp' }, async ({ caller, request, reply }) => {
    const { status, json } = refused(deps, request) ?? (await answer(app, deps, caller, request))
    if (json !== null) reply.header('Content-Type', 'application/json; charset=utf-8')
    return reply.code(status).send(json === null ? undefined : Buffer.from(json))
  })
}

async function answer(app: FastifyInstance, deps: AppDeps, caller: Caller, request: FastifyRequest): Promise<McpReply> {
  // Loaded at the first request: the start of the service does not wait for it.
  const { answerMcp } = await import('../../mcp/answer-mcp.ts')
  const { version, log } = deps
  const onError = (error: unknown) => log.error({ err: error, requestId: request.id }, 'a tool failed unexpectedly')
  const api = inProcessApi(app, deps, caller, request)
  return answerMcp({ version, onError }, api, { headers: protocolHeaders(request), body: request.body })
}

/** Several messages in one request could spend as one call; the protocol has given them up. Pages of other sites are refused. */
function refused(deps: AppDeps, request: FastifyRequest): McpReply | null {
  if (Array.isArray(request.body)) return rejection(400, 'Send one message in a request.')
  if (isDeeper(request.body, levelsAtMost)) return rejection(400, `Nest no deeper than ${levelsAtMost} levels.`)
  if (!isOwnPage(deps, request)) return rejection(403, 'Pages of other sites may not call.')
  return null
}

/**
 * Whether no page calls, or one of this service. Browsers name the page that sends a POST, and its owner may point its name at this
 * machine (DNS rebinding), so the page's name must also be one that nobody else owns: this machine's own, `VITAE_PUBLIC_URL`, or
 * what a trusted proxy let through.
 */
function isOwnPage({ admin, trustedProxies }: AppDeps, { headers, raw }: FastifyRequest): boolean {
  const { origin, host = '' } = headers
  if (origin === undefined) return true
  if (!URL.canParse(origin) || new URL(origin).host !== host) return false
  const { publicUrl } = admin.signIn
  const isOwnName = isLoopbackName(host) || (publicUrl !== null && new URL(publicUrl).host === host)
  return isOwnName || trustedProxies?.includes(raw.socket.remoteAddress ?? '') === true
}

function rejection(status: number, message: string): McpReply {
  return { status, json: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } }) }
}

function protocolHeaders({ headers }: FastifyRequest): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]))
}
