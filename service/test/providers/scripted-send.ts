import type { Kind } from '@vitae/contract'
import type { Identifier } from '../../src/foundation/identifier.ts'
import type { ProviderAsk, RawAnswer, Send, WireRequest } from '@vitae/provider'

interface Reply {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

/** An answer as the transport returns it. A string body is sent unchanged, all others as JSON. */
export function rawAnswer({ status = 200, headers = {}, body }: Reply): RawAnswer {
  const written = typeof body === 'string' ? body : JSON.stringify(body)
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { status, headers: lower, body: new TextEncoder().encode(written), receivedAt: Date.UTC(2026, 10, 14) }
}

/** The transport's side of a conversation: replies in turn, and records the requests. */
export function scriptedSend(...replies: Reply[]): { send: Send; requests: WireRequest[] } {
  const requests: WireRequest[] = []
  const send: Send = (request) => {
    const reply = replies[requests.length]
    requests.push(request)
    return reply ? Promise.resolve(rawAnswer(reply)) : Promise.reject(new Error('nobody asked for so many calls'))
  }
  return { send, requests }
}

export function askFor(
  kind: Kind,
  type: Identifier['type'],
  value: string,
  more: Partial<ProviderAsk> = {},
): ProviderAsk {
  const signal = new AbortController().signal
  return { identifier: { kind, type, value }, fresh: false, maxAgeDays: 7, idempotencyKey: 'key-1', signal, ...more }
}
