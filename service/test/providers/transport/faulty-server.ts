import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/foundation/clock.ts'
import { createChain, type Chain } from '../../../src/providers/chain/chain.ts'
import type { ChainAnswer } from '../../../src/providers/chain/chain-answer.ts'
import { type ProviderAsk, ProviderFault, type WireRequest } from '@vitae/provider'
import { mirror } from '../../../src/providers/mirror/mirror.ts'
import { createSend, type Sender, type SendSettings } from '../../../src/providers/transport/send-with-retries.ts'
import {
  createTransport,
  openConnections,
  type Exchange,
  type TransportOptions,
} from '../../../src/providers/transport/transport.ts'

export const key = 'vt_live_thisKeyMustNeverBeSeenAnywhere'

/** Time that only advances when a test advances it. */
export function handClock(start = Date.UTC(2026, 10, 14)): Clock & { advance(ms: number): void } {
  let now = start
  return { now: () => now, elapsed: () => now, advance: (ms) => void (now += ms) }
}

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An HTTP server on loopback that records its requests. */
export async function serve(listener: (request: IncomingMessage, response: ServerResponse, hit: number) => void) {
  const hits: { url: URL; headers: IncomingMessage['headers'] }[] = []
  const handle: RequestListener = (request, response) => {
    hits.push({ url: new URL(request.url ?? '', 'http://localhost'), headers: request.headers })
    listener(request, response, hits.length)
  }
  return { url: await listen(createServer(handle)), hits }
}

/** A server that answers each request with the given bytes. */
export async function serveRaw(answer: (socket: Socket, hit: number) => void) {
  const state = { hits: 0 }
  const server = createTcpServer((socket) => {
    socket.once('data', () => answer(socket, ++state.hits))
  })
  return { url: await listen(server), state }
}

/** A URL without a listener. */
export async function deadUrl(): Promise<string> {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

export function transportTo(url: string, overrides: Partial<TransportOptions> = {}): Exchange {
  const dispatcher = openConnections()
  onTestFinished(() => dispatcher.destroy())
  return createTransport({
    provider: 'mirror',
    attemptTimeoutMs: 5_000,
    maxBytes: 1_048_576,
    origins: [url],
    clock: handClock(),
    dispatcher,
    ...overrides,
  })
}

export function senderTo(
  url: string,
  settings: Partial<SendSettings> = {},
  transport: Partial<TransportOptions> = {},
): Sender {
  return createSend('mirror', {
    exchange: transportTo(url, transport),
    clock: handClock(),
    totalMs: 8_000,
    backoffMs: 1,
    breaker: { failures: 20, openMs: 15_000 },
    ...settings,
  })
}

/** A chain of one mirror, with all transport rules applied. */
export function mirrorChain(
  url: string,
  settings: Partial<SendSettings> = {},
  transport: Partial<TransportOptions> = {},
): Chain {
  const sender = senderTo(url, settings, transport)
  return createChain({
    links: [{ provider: mirror({ url, key }), sender, totalMs: settings.totalMs ?? 8_000 }],
    onNotFound: false,
    budget: null,
    clock: settings.clock ?? handClock(),
  })
}

export const get = (url: string, headers: Record<string, string> = {}): WireRequest => ({
  method: 'GET',
  url: new URL(url),
  headers,
})
export const never = new AbortController().signal

export function askFor(value: string, overrides: Partial<ProviderAsk> = {}): ProviderAsk {
  const identifier = { kind: 'people', type: 'slug', value } as const
  return { identifier, fresh: false, maxAgeDays: 7, idempotencyKey: 'ask-1', signal: never, ...overrides }
}

/** The fault that a promise rejects with. Anything else fails the test. */
export async function faultOf<F extends ProviderFault = ProviderFault>(promise: Promise<unknown>): Promise<F> {
  const end = await promise.then(
    () => 'an answer',
    (error: unknown) => error,
  )
  if (!(end instanceof ProviderFault)) throw new Error('wanted an ProviderFault', { cause: end })
  return end as F
}

/** Answers with a small record of a fictional person. */
export function sendPerson(response: ServerResponse, fields: Record<string, unknown> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      member_urn: 'urn:li:member:7001',
      public_identifier: 'ada-fiction',
      first_name: 'Ada',
      ...fields,
    }),
  )
}

export function personOf(answer: ChainAnswer): Record<string, unknown> {
  return answer.outcome === 'found' ? { ...answer.projection.record } : {}
}
