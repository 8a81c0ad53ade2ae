import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type FailureCode, failures } from '../../contract/src/index.ts'

export type Seen = { path: string; query: URLSearchParams; headers: IncomingHttpHeaders }
export type Reply = { status: number; headers: Record<string, string>; body: string }
/** The server's reaction to one request: answer, accept and never answer, or break the connection. */
export type Step = Reply | 'hang' | 'drop' | 'drop-in-body' | ((seen: Seen) => Reply)

const everywhere = {
  'X-Request-Id': 'req-1',
  'X-RateLimit-Limit': '300',
  'X-RateLimit-Remaining': '299',
  'X-RateLimit-Reset': '60',
  'Cache-Control': 'private, no-store',
  Vary: 'ApiKey, Authorization, X-Api-Key, Accept, Accept-Encoding',
}
const liveKey = { 'X-Credits-Remaining': '941', 'X-Credits-Ceiling-Remaining': '41' }

/** A 200 in the contract's format, for a live key. */
export function found(record: object, headers: Record<string, string> = {}): Reply {
  const provenance = {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Data-Source': 'live',
    'X-Fetched-At': '2026-11-14T09:30:00.000+00:00',
    'X-Data-Age-Seconds': '0',
    'X-Credits-Charged': '1',
  }
  return {
    status: 200,
    headers: { ...everywhere, ...liveKey, ...provenance, ...headers },
    body: JSON.stringify(record),
  }
}

/** A failure from the contract's table. */
export function failed(code: FailureCode, headers: Record<string, string> = {}, extra: object = {}): Reply {
  const { status, body, title } = failures[code]
  const type = body === 'text' ? 'text/plain; charset=utf-8' : 'application/problem+json; charset=utf-8'
  const problem = { type: 'about:blank', title, status, detail: `why ${code}`, code, request_id: 'req-1', ...extra }
  return {
    status,
    headers: { ...everywhere, ...liveKey, 'Content-Type': type, ...headers },
    body: body === 'text' ? code : JSON.stringify(problem),
  }
}

/** A service on loopback that plays one step per request and then repeats the last one. */
export async function openScriptedServer(...steps: Step[]) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://scripted')
    seen.push({ path: url.pathname, query: url.searchParams, headers: request.headers })
    play(steps[Math.min(seen.length, steps.length) - 1] ?? 'drop', seen.at(-1) as Seen, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close }
}

function play(step: Step, seen: Seen, response: ServerResponse): void {
  if (step === 'hang') return
  if (step === 'drop') return void response.destroy()
  const { status, headers, body } = typeof step === 'function' ? step(seen) : step === 'drop-in-body' ? found({}) : step
  if (step !== 'drop-in-body') return void response.writeHead(status, headers).end(body)
  response.writeHead(status, { ...headers, 'Content-Length': '1000' })
  response.write('{"member_urn":', () => response.destroy())
}
