import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** What a tool gave: the answer, or the failure. */
export interface ToolResult {
  isError: boolean
  /** The structured content, or what the text of an error says. */
  answer: Record<string, unknown>
  text: string
}

/** The official client on `POST /mcp`: with the protocol of today, or as clients spoke before. */
export async function connect(url: string, apiKey: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'vitae-tests', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { ApiKey: apiKey } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return client
}

/** Calls one tool. The client checks what comes back against the tool's output schema. */
export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<ToolResult> {
  const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: args })
  const [first] = content
  const text = first?.type === 'text' ? first.text : ''
  const answer = structuredContent ?? (text.startsWith('{') ? (JSON.parse(text) as unknown) : {})
  return { isError, answer: answer as Record<string, unknown>, text }
}
