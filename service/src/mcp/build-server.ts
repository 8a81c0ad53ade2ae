import { agentInstructions, agentTools, type AgentToolName } from '@vitae/contract'
import { type CallToolResult, fromJsonSchema, type jsonSchemaValidator, McpServer } from '@modelcontextprotocol/server'
import { Compile } from 'typebox/compile'
import { Complaints } from '../foundation/failure.ts'
import { explain } from '../foundation/schema/explain.ts'
import { type ToolApi, ToolFailure } from './tool-api.ts'
import { runTool } from './tools.ts'

/**
 * Validates like request bodies: the SDK's own validator lists every violation, which takes half a second for 5,000 of
 * them.
 */
const validation: jsonSchemaValidator = {
  getValidator<T>(schema: object) {
    const whole = Compile(schema)
    return (input: unknown) => {
      const complaints = new Complaints()
      explain(schema, input, complaints, whole)
      return complaints.count > 0
        ? { valid: false, data: undefined, errorMessage: complaints.failure().message }
        : { valid: true, data: input as T, errorMessage: undefined }
    }
  },
}

/** Compiled once, because a server is built for every HTTP request. */
const tools = (Object.keys(agentTools) as AgentToolName[]).map((name) => {
  const { title, description, input, output, paid } = agentTools[name]
  const inputSchema = fromJsonSchema<Record<string, unknown>>(
    { ...plain(input), additionalProperties: false },
    validation,
  )
  const outputSchema = fromJsonSchema(plain(output), validation)
  return { name, paid, config: { title, description, inputSchema, outputSchema } }
})

/** Calls change nothing and only cost credits. External providers may be asked. */
const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: true }

/** A server with all tools, which act through `api`. Unexpected errors are passed to `onError`, not to the agent. */
export function buildServer(api: ToolApi, version: string, onError: (error: unknown) => void): McpServer {
  const server = new McpServer(
    { name: 'vitae', title: 'Vitae', version },
    { instructions: agentInstructions, capabilities: { tools: { listChanged: false } } },
  )
  for (const { name, paid, config } of tools) {
    server.registerTool(name, { ...config, annotations: { title: config.title, ...annotations } }, async (args) => {
      try {
        const structuredContent = await runTool(api, name, paid, args)
        return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
      } catch (error) {
        return failed(api, error instanceof ToolFailure ? error : unexpected(error, onError))
      }
    })
  }
  return server
}

/** A schema as plain JSON. */
function plain(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>
}

function unexpected(error: unknown, onError: (error: unknown) => void): ToolFailure {
  onError(error)
  return new ToolFailure('internal_error', 'Vitae could not answer. Nothing was charged.')
}

/** A failure as the agent sees it: what happened, and the remaining credits. */
async function failed(api: ToolApi, { code, message, retryAfterSeconds }: ToolFailure): Promise<CallToolResult> {
  const left = await api.left().catch(() => null)
  const retry = retryAfterSeconds === null ? {} : { retry_after_seconds: retryAfterSeconds }
  const text = JSON.stringify({ error: { code, message, ...retry }, credits: { charged: 0, left } })
  return { isError: true, content: [{ type: 'text', text }] }
}
