import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The result of a tool: the answer, or the failure. */
export interface ToolResult {
  isError: boolean
  /** The structured content, or the parsed text of an error. */
  answer: Record<string, unknown>
  text: string
}

/** The official client on `POST /mcp`: with the current protocol, or the legacy one. */
export async function connect(url: string, apiKey: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'vitae-tests', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { ApiKey: apiKey } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return client
}

/** Calls one tool. The client validates the result against the tool's output schema. */
export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<ToolResult> {
  const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: args })
  const [first] = content
  const text = first?.type === 'text' ? first.text : ''
  const answer = structuredContent ?? (text.startsWith('{') ? (JSON.parse(text) as unknown) : {})
  return { isError, answer: answer as Record<string, unknown>, text }
}
