import { Agent, request as exchange, type Dispatcher } from 'undici'
import type { Clock } from '../foundation/clock.ts'
import { acceptEncoding, decodeBody } from './decode-body.ts'
import { tracingHeaders } from '../foundation/tracing.ts'
import { UpstreamFault } from './fault.ts'
import type { RawAnswer, Send, WireRequest } from './provider.ts'
import { transportFault } from './transport-fault.ts'
import { withinTime } from './within-time.ts'

export interface TransportOptions {
  /** Stands in messages; never an address or a key. */
  provider: string
  /** From the first packet to the last byte of the body, so that a slow drip ends too. */
  attemptTimeoutMs: number
  /** Of the body, both as it travels and unpacked. */
  maxBytes: number
  /** The only origins that are ever connected to. */
  origins: readonly string[]
  clock: Clock
  dispatcher: Dispatcher
}

/** The connections to all providers. Certificates are verified whatever the environment of the process says. */
export function openConnections(connectTimeoutMs = 5_000): Agent {
  return new Agent({
    connect: { timeout: connectTimeoutMs, rejectUnauthorized: true },
    keepAliveTimeout: 10_000,
    allowH2: false,
  })
}

/** One HTTP exchange, bounded in time, size and place. Redirects are not followed. Throws `UpstreamFault` only. */
export function createTransport(options: TransportOptions): Send {
  const { provider } = options
  const origins = new Set(options.origins.map((origin) => new URL(origin).origin))
  const timedOut = () => new UpstreamFault('timeout', `${provider} did not answer in time`)

  return async (request, signal) => {
    if (!origins.has(request.url.origin)) {
      throw new UpstreamFault('invalid', `${provider} may not be asked outside its configured address`)
    }
    const answer = await withinTime(options.attemptTimeoutMs, signal, timedOut, (limited) =>
      once(options, request, limited),
    )
    if (answer.status >= 300 && answer.status < 400) {
      throw new UpstreamFault('invalid', `${provider} answered with a redirect (${answer.status})`, { answer })
    }
    return answer
  }
}

async function once(options: TransportOptions, request: WireRequest, signal: AbortSignal): Promise<RawAnswer> {
  try {
    const response = await exchange(request.url, {
      dispatcher: options.dispatcher,
      method: request.method,
      headers: { 'user-agent': 'vitae', 'accept-encoding': acceptEncoding, ...tracingHeaders(), ...request.headers },
      body: request.body ?? null,
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const headers = flat(response.headers)
    const body = await readBody(options, response.body)
    const receivedAt = options.clock.now()
    return {
      status: response.statusCode,
      headers,
      body: await unpack(options, headers['content-encoding'], body),
      receivedAt,
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof UpstreamFault ? error : transportFault(options.provider, error)
  }
}

async function readBody(
  { provider, maxBytes }: TransportOptions,
  body: AsyncIterable<Uint8Array>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop destroys the stream, so no more than the limit and one chunk is ever held.
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new UpstreamFault('invalid', `${provider} sent more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

async function unpack(
  { provider, maxBytes }: TransportOptions,
  encoding: string | undefined,
  body: Uint8Array,
): Promise<Uint8Array> {
  try {
    return await decodeBody(encoding, body, maxBytes)
  } catch {
    throw new UpstreamFault('invalid', `${provider} sent a body that does not unpack within ${maxBytes} bytes`)
  }
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ])
  return Object.fromEntries(entries) as Record<string, string>
}
