import { Agent, type Dispatcher } from 'undici'
import type { Clock } from '../../foundation/clock.ts'
import { acceptEncoding, decodeBody } from './decode-body.ts'
import { exchange } from './exchange.ts'
import { tracingHeaders } from '../../foundation/tracing.ts'
import { tooSlow, ProviderFault } from '../chain/provider-fault.ts'
import type { RawAnswer, WireRequest } from '../provider.ts'
import { transportFault } from './transport-fault.ts'

/** One exchange, in less than its usual time where the caller has less left. */
export type Exchange = (request: WireRequest, signal: AbortSignal, limitMs?: number) => Promise<RawAnswer>

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

/** One HTTP exchange, bounded in time, size and place. Redirects are not followed. Throws `ProviderFault` only. */
export function createTransport(options: TransportOptions): Exchange {
  const { provider } = options
  const origins = new Set(options.origins.map((origin) => new URL(origin).origin))

  return async (request, signal, limitMs = Infinity) => {
    if (!origins.has(request.url.origin)) {
      throw new ProviderFault('invalid', `${provider} may not be asked outside its configured address`)
    }
    const answer = await once(options, request, signal, limitMs)
    if (answer.status >= 300 && answer.status < 400) {
      throw new ProviderFault('invalid', `${provider} answered with a redirect (${answer.status})`, { answer })
    }
    return answer
  }
}

async function once(
  options: TransportOptions,
  { method, url, headers, body }: WireRequest,
  signal: AbortSignal,
  limitMs: number,
): Promise<RawAnswer> {
  const { provider, attemptTimeoutMs, maxBytes } = options
  try {
    const wired = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { 'user-agent': 'vitae', 'accept-encoding': acceptEncoding, ...tracingHeaders(), ...headers },
      body: body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    }
    const received = await exchange(options.dispatcher, wired, {
      limitMs: Math.min(attemptTimeoutMs, limitMs),
      maxBytes,
      signal,
      tooLate: () => tooSlow(provider),
      tooLarge: () => new ProviderFault('invalid', `${provider} sent more than ${maxBytes} bytes`),
    })
    const receivedAt = options.clock.now()
    const encoding = received.headers['content-encoding']
    if (encoding === undefined) return { ...received, receivedAt }
    return { ...received, body: await unpack(options, encoding, received.body), receivedAt }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof ProviderFault ? error : transportFault(provider, error)
  }
}

async function unpack(
  { provider, maxBytes }: TransportOptions,
  encoding: string,
  body: Uint8Array,
): Promise<Uint8Array> {
  try {
    return await decodeBody(encoding, body, maxBytes)
  } catch {
    throw new ProviderFault('invalid', `${provider} sent a body that does not unpack within ${maxBytes} bytes`)
  }
}
