import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { buildServer } from './build-server.ts'
import type { ToolApi } from './tool-api.ts'

/** The reply; `json` is null if there is no body. */
export interface McpReply {
  status: number
  json: string | null
}

export interface McpPost {
  /** Headers whose names begin with `mcp-`. */
  headers: Record<string, string>
  body: unknown
}

interface Deps {
  version: string
  onError(error: unknown): void
}

/**
 * Answers one message with a server created for it alone, so that any node can answer the next one. Clients of the
 * protocol before 2026-07-28 are supported too. The answer is JSON, never a stream.
 */
export async function answerMcp(
  { version, onError }: Deps,
  api: ToolApi,
  { headers, body }: McpPost,
): Promise<McpReply> {
  const request = new Request('http://vitae/mcp', {
    method: 'POST',
    // Our answers are always JSON, and a client need not declare that it accepts them.
    headers: { ...headers, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const build = () => buildServer(api, version, onError)
  if (await isLegacyRequest(request, body)) return answerLegacy(build(), request, body)
  const handler = createMcpHandler(build, { legacy: 'reject', maxSubscriptions: 0 })
  try {
    return await replyOf(await handler.fetch(request, { parsedBody: body }))
  } finally {
    await handler.close()
  }
}

async function answerLegacy(server: McpServer, request: Request, body: unknown): Promise<McpReply> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await replyOf(await transport.handleRequest(request, { parsedBody: body }))
  } finally {
    await server.close()
  }
}

/** The response is read before its server is closed. */
async function replyOf(response: Response): Promise<McpReply> {
  return { status: response.status, json: (await response.text()) || null }
}
