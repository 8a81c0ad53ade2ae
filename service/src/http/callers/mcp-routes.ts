import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/caller.ts'
import type { McpReply } from '../../mcp/answer-mcp.ts'
import { isLoopbackName } from '../../foundation/networks.ts'
import { isDeeper } from '../../foundation/schema/is-deeper.ts'
import type { AppDeps } from '../exchange/deps.ts'
import { callerRoute } from './caller-route.ts'
import { inProcessApi } from './in-process-api.ts'

/** Maximum nesting. Tool arguments have three levels; clients may describe themselves in the rest. */
const levelsAtMost = 32

/** Serves the Model Context Protocol over HTTP. It is stateless, so any node can answer the next message. */
export function mcpRoutes(app: FastifyInstance, deps: AppDeps): void {
  callerRoute(app, deps, { route: 'POST /mcp' }, async ({ caller, request, reply }) => {
    const { status, json } = refused(deps, request) ?? (await answer(app, deps, caller, request))
    if (json !== null) reply.header('Content-Type', 'application/json; charset=utf-8')
    return reply.code(status).send(json === null ? undefined : Buffer.from(json))
  })
}

async function answer(app: FastifyInstance, deps: AppDeps, caller: Caller, request: FastifyRequest): Promise<McpReply> {
  // Loaded at the first request, to keep the start fast.
  const { answerMcp } = await import('../../mcp/answer-mcp.ts')
  const { version, log } = deps
  const onError = (error: unknown) => log.error({ err: error, requestId: request.id }, 'a tool failed unexpectedly')
  const api = inProcessApi(app, deps, caller, request)
  return answerMcp({ version, onError }, api, { headers: protocolHeaders(request), body: request.body })
}

/**
 * Refuses batches of messages, which could spend several calls as one, and pages of other sites. The protocol has
 * dropped batches.
 */
function refused(deps: AppDeps, request: FastifyRequest): McpReply | null {
  if (Array.isArray(request.body)) return rejection(400, 'Send one message in a request.')
  if (isDeeper(request.body, levelsAtMost)) return rejection(400, `Nest no deeper than ${levelsAtMost} levels.`)
  if (!isOwnPage(deps, request)) return rejection(403, 'Pages of other sites may not call.')
  return null
}

/**
 * Whether the request comes from no web page or from one of this service. DNS rebinding can point a foreign name at
 * this machine, so the name must be loopback, `VITAE_PUBLIC_URL`, or come through a trusted proxy.
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
