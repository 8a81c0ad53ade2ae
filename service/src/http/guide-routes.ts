import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { Failure } from '../foundation/failure.ts'

/** Paths in a checkout and in a packed service. */
const folders = ['../../../docs/guides', '../../guides'].map((path) => join(import.meta.dirname, path))

const head = `# Vitae

> A self-hosted service that looks up people and companies, says where each record came from and how old it is, and never bills a call twice.

Send an API key as the \`ApiKey\` header. Keys that begin with \`vt_test_\` answer with fictional records and cost nothing.

## API

- [OpenAPI document](/openapi.json): every route, parameter, answer and failure, with examples
- [Reference](/docs): the same for people
- Model Context Protocol: \`POST /mcp\` with the same header

## Guides
`

/** Serves `/llms.txt` and the guides as Markdown, for programs. */
export function guideRoutes(app: FastifyInstance): void {
  app.get('/llms.txt', async (_request, reply) => {
    const lines = [...readGuides()].map(
      ([name, text]) => `- [${titleOf(text)}](/docs/${name}.md): ${firstSentence(text)}`,
    )
    return reply.type('text/plain; charset=utf-8').send(`${head}\n${lines.join('\n')}\n`)
  })
  app.get<{ Params: { name: string } }>('/docs/:name.md', async ({ params: { name } }, reply) => {
    const text = readGuides().get(name)
    if (text === undefined)
      throw new Failure('route_not_found', { detail: 'There is no such guide; /llms.txt lists them.' })
    return reply.type('text/markdown; charset=utf-8').send(text)
  })
}

let read: ReadonlyMap<string, string> | null = null

/** The guides by name, read at the first request. */
function readGuides(): ReadonlyMap<string, string> {
  if (read) return read
  const folder = folders.find((path) => existsSync(path))
  const names = folder ? readdirSync(folder).filter((name) => name.endsWith('.md')) : []
  const entries = names
    .toSorted()
    .map((name) => [name.slice(0, -3), withServedLinks(readFileSync(join(folder ?? '', name), 'utf8'))] as const)
  return (read = new Map(entries))
}

/**
 * Links between guides work unchanged. Links to the reference are rewritten; links to other repository files become
 * their path.
 */
function withServedLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\(\.\.\/([^)\s#]+)(?:#[^)\s]*)?\)/g, (_link, label: string, path: string) => {
    if (path === 'reference/api.md') return `[${label}](/docs/)`
    const file = path.startsWith('../') ? path.slice(3) : `docs/${path}`
    return `${label} (\`${file}\` in the repository)`
  })
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? ''
}

/** The first sentence of the first paragraph, without links. */
function firstSentence(text: string): string {
  const paragraph = /^# .+\n+([^\n#|`-][\s\S]*?)\n\n/.exec(text)?.[1] ?? ''
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ')
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
